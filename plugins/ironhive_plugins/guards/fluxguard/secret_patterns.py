"""Shapes of credentials: what vendors put in front of their tokens, and what people write in front of their
passwords.
"""

from __future__ import annotations

VENDOR = (
    r"\b(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{22,}"
    r"|\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct|oas)-[A-Za-z0-9_-]{20,64}(?:\.[0-9a-z.]{8,})?\b"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Z0-9]+-\d+-[A-Za-z0-9]+|\bxwfp-[A-Za-z0-9-]{10,}"
    r"|hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,}"
    r"|\b(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{20,}"
    r"|\bsk-(?:proj-|ant-[a-z0-9]+-|or-v1-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}"
    r"|\bAIza[0-9A-Za-z_-]{35}|\bya29\.[0-9A-Za-z_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{28}|\b1//0[A-Za-z0-9_-]{40,}"
    r"|\b[0-9]{8,16}-[0-9a-z]{32}\.apps\.googleusercontent\.com"
    r"|\bey[JI][A-Za-z0-9_-]{8,}\.ey[JI][A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-DF-Za-df-z0-9_-][A-Za-z0-9_.-]{40,}"
    r"|\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}|\bSK[0-9a-f]{32}\b|\bAC[0-9a-f]{32}\b"
    r"|\bnpm_[A-Za-z0-9]{36}|\bpypi-AgE[A-Za-z0-9_-]{86,}|\brubygems_[a-f0-9]{48}|\boy2[a-z0-9]{43}\b"
    r"|\bciotgp?[A-Za-z0-9]{30,}"
    r"|\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}|\bdo[oprt]_v1_[a-f0-9]{64}|\bdp\.(?:ct|pt|st|sa|scim"
    r"|audit)\.[A-Za-z0-9._-]{40,}"
    r"|\bhf_[A-Za-z0-9]{30,40}\b|\br8_[A-Za-z0-9]{36,40}|\bgsk_[A-Za-z0-9]{48,56}|\bxai-[A-Za-z0-9]{60,}"
    r"|\bpplx-[A-Za-z0-9]{40,60}"
    r"|\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|\bsq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,43}|\bEAAA[A-Za-z0-9_-]{60}"
    r"|\bEAA[A-Za-z0-9]{30,}|\bEZ[AT]K[A-Za-z0-9]{54}|\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}|\bNRAK-[A-Z0-9]{27}"
    r"|\bNRII-[A-Za-z0-9-]{20,}"
    r"|\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}|\bNF-[a-f0-9]{32}|\bkey-[a-f0-9]{32}"
    r"|\b[a-f0-9]{32}-us\d{1,2}\b"
    r"|\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}|\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}|\bdapi[a-f0-9]{32}\b"
    r"|\bsl\.[A-Za-z0-9_-]{100,}"
    r"|\b[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40}|\b\d{8,10}:[A-Za-z0-9_-]{35}\b"
    r"|discord(?:app)?\.com/api/webhooks/\d{17,20}/[A-Za-z0-9_-]{60,}"
    r"|\.webhook\.office\.com/webhookb2/[^\s\"']{40,}|outlook\.office\.com/webhook/[^\s\"']{40,}"
    r"|\$(?:1|2[abxy]|5|6|y|gy|7|argon2(?:id|i|d)|krb5\w+|sha1|apr1|P|H|S)\$[A-Za-z0-9./$=,+*:@-]{20,}|\{(?:SSHA"
    r"|SHA|SMD5)(?:256|512)?\}[A-Za-z0-9+/=]{20,}"
    r"|https://[a-z0-9-]+\.thingsboard\.cloud/api/v1/[A-Za-z0-9]{20}\b"
    r"|https://thingsboard\.cloud/api/v1/[A-Za-z0-9]{20}\b"
)
"""One alternation of everything that names itself."""

PREFIXED = (
    r"\b(?:lin_api|lin_oauth|ntn|secret|figd|fig[duor]h?|tfp|rdme|sgp|slk|sntry[su]|phc|phx|pnu|pul|hvs|hvb|hvr|dapi|glsa|glc|odt|web|"
    r"sbp|re|cio|ops|CFPAT|pscale_(?:tkn|pw|oauth)|prefect|ATATT3|ATCTT3|ATBB|fio-u|flb?r?|lsv2_(?:pt|sk)|nvapi|tvly|vercel|bkua|"
    r"atlas|cmaf|zpka|thp|dnkey|duffel_(?:test|live)|bb_[a-z]+|shippo_(?:live|test)|live|sk_prod|tkn\.v1|v1\.0|CCIPAT|codemagic)"
    r"[_-]([A-Za-z0-9._=+/-]{20,})"
)
"""Prefixes that are words too: what follows must look random."""

PRIVATE_KEY = r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d"
URL_LOGIN = r"\b[a-z][a-z0-9+.-]{1,20}://([^\s:/?#@\"'<>]{1,}):([^\s/@\"'<>]{2,120})@[A-Za-z0-9.\[-]"
BEARER = (
    r"(?i)\b(?:authorization|x-[a-z-]{0,20}(?:key|token))[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token|key"
    r"|apikey)?\s{0,3}([A-Za-z0-9+/=_.~-]{16,})"
)
BEARER_BARE = r"(?i)\bbearer:? ([A-Za-z0-9+/=_.~-]{20,})"

ASSIGNED = (
    r"(?i)(?:key|token|secret|credential|tkn|access|private|pat|auth|apikey|pwd)[a-z]{0,2}[\"'\])]{0,2}"
    r"\s{0,4}(?::=|=>|=|:)[\s=>:\"'`(]{0,6}([A-Za-z0-9+/=_.~:!@#%^&*$?-]{12,})"
)
ASSIGNED_LOOSELY = (
    r"(?i)(?:key|token|secret|tkn|access|private|pat"
    r"|auth)[a-z]{0,2}[\"'\])]{0,2}[\s_,(-]{1,3}[\"'`]?([A-Za-z0-9+/=_.~-]{16,})"
)
LOGIN = (
    r"(?i)((?:password|passwd|passphrase|pass|pwd|passwort|contraseña|contrasena|senha|mot de passe|пароль|비밀번호"
    r"|パスワード|密码)"
    r"[A-Za-z0-9_]{0,12}[\"'\]]{0,2})\s{0,6}(?::=|=>|->|=|:|\bis\b|\bist\b|\bes\b|\s-p\s)\s{0,6}([\"'`]?)([^\s\"'`,;<>()]{4,})"
)
NAMED = (
    r"(?i)\b([a-z][a-z0-9]{2,24}(?:[._-][a-z0-9]{1,20}){0,3})[\"']?(?:\s?[:=]>?\s?|\s)[\"'`]?([A-Za-z0-9_+/=.~-]{20,})"
)
