"""Government and bank numbers: their shapes, their check digits, the words that announce them.

``mode`` says how much a number needs to be believed. ``strong``: shape and check suffice. ``format``: it must be
written with its usual separators, or be announced. ``context``: it must be announced. A text that is nothing but the
number counts as announced, at a lower score.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ironhive_plugins.guards.fluxguard.engines import engine
from ironhive_plugins.guards.fluxguard.pii_digits import OWN

Mode = Literal["strong", "format", "context"]


@dataclass(frozen=True, slots=True)
class IdSpec:
    """One kind of number. ``shape`` matches the compact form (no separators, upper case); ``written`` the usual
    spelling.

    ``module`` names the check of python-stdnum, or is empty when the kind has no public check digit.
    """

    kind: str
    shape: re.Pattern[str]
    module: str
    mode: Mode
    words: tuple[str, ...]
    written: re.Pattern[str] | None = None
    alone: bool = True
    """Whether the number may be believed when it is the whole text."""

    def valid(self, compact: str) -> bool:
        """Whether the check digits of ``compact`` are right (True when there are none to check)."""
        if self.module in OWN:
            return OWN[self.module](compact)
        return not self.module or bool(engine(f"stdnum.{self.module}").is_valid(compact))


def _id(kind: str, shape: str, module: str, mode: Mode, words: str, *rest: str, alone: bool = True) -> IdSpec:
    written = rest[0] if rest else ""
    keys = tuple(word.strip() for word in words.split(",") if word.strip())
    return IdSpec(kind, re.compile(shape), module, mode, keys, re.compile(written) if written else None, alone)


DIGITS: tuple[IdSpec, ...] = (
    _id(
        "US_SSN",
        r"(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}",
        "us.ssn",
        "format",
        "ssn, social security",
        r"\d{3}([- ])\d{2}\1\d{4}",
        alone=False,
    ),
    _id("US_ITIN", r"9\d{8}", "us_itin", "format", "itin, taxpayer", r"9\d{2}[- ]?\d{2}-?\d{4}"),
    _id("US_BANK_ROUTING", r"\d{9}", "us.rtn", "format", "routing, aba, bank", r"\d{4}-\d{4}-\d"),
    _id("US_NPI", r"[12]\d{9}", "us_npi", "context", "npi, provider number, provider identifier"),
    _id(
        "US_BANK_NUMBER",
        r"\d{8,17}",
        "",
        "context",
        "bank account, account number, account no, acct, checking account, savings account",
        alone=False,
    ),
    _id(
        "US_DRIVER_LICENSE",
        r"\d{7,12}",
        "",
        "context",
        "driver license, driver's license, drivers license, driving licence, licence number, license number, dl number",
        alone=False,
    ),
    _id("US_PASSPORT", r"\d{9}", "", "context", "passport", alone=False),
    _id(
        "KR_RRN",
        r"\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[1-8]\d{6}",
        "kr_rrn",
        "format",
        "rrn, frn, resident registration, 주민등록, 주민번호, 외국인등록",
        r"\d{6}-\d{7}",
    ),
    _id("KR_BRN", r"\d{10}", "kr_brn", "format", "brn, business registration, 사업자", r"\d{3}-\d{2}-\d{5}"),
    _id(
        "KR_DRIVER_LICENSE",
        r"(?:1[1-9]|2[0-8])\d{10}",
        "",
        "format",
        "운전면허, driver",
        r"\d{2}[- ]\d{2}[- ]\d{6}[- ]\d{2}",
        alone=False,
    ),
    _id("JP_MY_NUMBER", r"\d{12}", "jp.in_", "context", "my number, マイナンバー, 個人番号"),
    _id("IN_AADHAAR", r"[2-9]\d{11}", "in_.aadhaar", "format", "aadhaar, aadhar, uidai, आधार", r"\d{4} \d{4} \d{4}"),
    _id(
        "TH_TNIN",
        r"[1-8](?:1\d|2[0-7]|[34]\d|5[0-8]|6[0-7]|7[0-7]|8[0-6]|9[0-6])\d{10}",
        "th.pin",
        "format",
        "thai, tnin, ประชาชน, national id",
        r"\d-\d{4}-\d{5}-\d{2}-\d",
    ),
    _id("TR_NATIONAL_ID", r"[1-9]\d{10}", "tr.tckimlik", "format", "tckn, kimlik, turkish, kişi", r"\d{11}"),
    _id("PL_PESEL", r"\d{11}", "pl.pesel", "context", "pesel"),
    _id("PL_NIP", r"\d{10}", "pl.nip", "context", "nip, vat", alone=False),
    _id("BR_CPF", r"\d{11}", "br.cpf", "format", "cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}", alone=False),
    _id("BR_CNPJ", r"\d{14}", "br.cnpj", "format", "cnpj", r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}", alone=False),
    _id("IT_VAT_CODE", r"\d{11}", "it.iva", "context", "partita iva, p.iva, vat"),
    _id("FR_NIR", r"[12]\d{14}", "fr.nir", "strong", "securite sociale, sécurité sociale, nir, insee"),
    _id("DE_TAX_ID", r"[1-9]\d{10}", "de_idnr", "context", "steuer, idnr, tin, tax id", alone=False),
    _id("DE_LANR", r"\d{9}", "de_lanr", "context", "lanr, arztnummer"),
    _id("DE_BSNR", r"\d{9}", "", "context", "bsnr, betriebsstätte, betriebsstatte", alone=False),
    _id("UK_NHS", r"\d{10}", "gb.nhs", "format", "nhs", r"\d{3}[ -]\d{3}[ -]\d{4}"),
    _id("AU_ABN", r"\d{11}", "au.abn", "format", "abn, business number", r"\d{2} \d{3} \d{3} \d{3}"),
    _id("AU_ACN", r"\d{9}", "au.acn", "context", "acn, company number", r"\d{3} \d{3} \d{3}"),
    _id("AU_TFN", r"\d{9}", "au.tfn", "context", "tfn, tax file", r"\d{3} \d{3} \d{3}"),
    _id("AU_MEDICARE", r"[2-6]\d{9}", "", "context", "medicare", alone=False),
    _id("CA_SIN", r"[1-79]\d{8}", "ca.sin", "format", "sin, social insurance, nas", r"\d{3}-\d{3}-\d{3}", alone=False),
    _id(
        "SE_PERSONNUMMER",
        r"(?:19|20)?\d{10}",
        "se.personnummer",
        "format",
        "personnummer, swedish, identity code, personal identity",
        r"\d{6}(?:\d{2})?[-+]\d{4}",
    ),
    _id(
        "SE_ORGANISATIONSNUMMER",
        r"[2-9]\d{9}",
        "se.orgnr",
        "format",
        "organisationsnummer, orgnr, företag, company identity",
        r"\d{6}-\d{4}",
        alone=False,
    ),
    _id(
        "ZA_ID_NUMBER",
        r"\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{7}",
        "za.idnr",
        "strong",
        "south african, rsa id",
    ),
    _id("PH_TIN", r"\d{9}(?:\d{3})?", "", "context", "tin, tax id", r"\d{3}-\d{3}-\d{3}-\d{3}", alone=False),
    _id("RU_INN", r"\d{10}(?:\d{2})?", "ru.inn", "context", "инн, inn", alone=False),
    _id("RU_SNILS", r"\d{11}", "ru_snils", "format", "снилс, snils", r"\d{3}-\d{3}-\d{3} \d{2}", alone=False),
    _id("RU_PASSPORT", r"\d{10}", "", "context", "паспорт", alone=False),
    _id("PT_NIF", r"[1235689]\d{8}", "pt.nif", "context", "nif, contribuinte", alone=False),
    _id("NL_BSN", r"\d{9}", "nl.bsn", "context", "bsn, burgerservice", alone=False),
    _id(
        "BE_NN",
        r"\d{11}",
        "be.nn",
        "format",
        "rijksregister, registre national",
        r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}",
        alone=False,
    ),
    _id("CH_AHV", r"756\d{10}", "ch.ssn", "strong", "ahv, avs"),
    _id("AT_SVNR", r"\d{10}", "at.vnr", "context", "svnr, sozialversicherung", alone=False),
    _id("DK_CPR", r"\d{10}", "dk.cpr", "format", "cpr", r"\d{6}-\d{4}", alone=False),
    _id("NO_FNR", r"\d{11}", "no.fodselsnummer", "context", "fødselsnummer, fodselsnummer, personnummer", alone=False),
    _id("CZ_RC", r"\d{9,10}", "cz.rc", "format", "rodné číslo, rodne cislo", r"\d{6}/\d{3,4}", alone=False),
    _id("RO_CNP", r"[1-8]\d{12}", "ro.cnp", "strong", "cnp"),
    _id("BG_EGN", r"\d{10}", "bg.egn", "context", "егн, egn", alone=False),
    _id("HR_OIB", r"\d{11}", "hr.oib", "context", "oib", alone=False),
    _id("GR_AMKA", r"\d{11}", "gr.amka", "context", "amka, αμκα", alone=False),
    _id("IL_ID", r"\d{9}", "il.idnr", "context", "teudat, israeli id, ת.ז", alone=False),
    _id("ID_NIK", r"\d{16}", "id.nik", "context", "nik, ktp", alone=False),
    _id("MY_NRIC", r"\d{12}", "my.nric", "format", "nric, mykad", r"\d{6}-\d{2}-\d{4}", alone=False),
    _id("AR_CUIT", r"(?:20|23|24|27|30|33|34)\d{9}", "ar.cuit", "format", "cuit, cuil", r"\d{2}-\d{8}-\d", alone=False),
    _id("PK_CNIC", r"\d{13}", "pk.cnic", "format", "cnic", r"\d{5}-\d{7}-\d", alone=False),
)

MIXED: tuple[IdSpec, ...] = (
    _id(
        "UK_NINO",
        r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]",
        "",
        "strong",
        "national insurance",
    ),
    _id("IN_PAN", r"[A-Z]{3}[ABCFGHLJPTK][A-Z]\d{4}[A-Z]", "", "strong", "pan, permanent account, tax id"),
    _id("IN_GSTIN", r"(?:0[1-9]|[12]\d|3[0-7])[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]", "", "strong", "gstin, gst"),
    _id("IN_VOTER", r"[A-Z]{3}\d{7}", "", "context", "voter, epic"),
    _id("ES_NIF", r"\d{8}[A-Z]", "es.dni", "strong", "nif, dni"),
    _id("ES_NIE", r"[XYZ]\d{7}[A-Z]", "es.nie", "strong", "nie, extranjero"),
    _id("ES_PASSPORT", r"[A-Z]{3}\d{6}", "", "context", "pasaporte, passport", alone=False),
    _id(
        "IT_FISCAL_CODE",
        r"[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPRST][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]",
        "",
        "strong",
        "codice fiscale",
    ),
    _id("IT_DRIVER_LICENSE", r"(?:[A-Z]{2}\d{7}[A-Z]|U1[A-Z0-9]{7}[A-Z])", "", "context", "patente, license, licence"),
    _id("IT_PASSPORT", r"[A-Z]{2}\d{7}", "", "context", "passaporto, passport, identità, identita"),
    _id("SG_NRIC_FIN", r"[STFGM]\d{7}[A-Z]", "", "strong", "nric, fin"),
    _id("SG_UEN", r"(?:\d{8,9}[A-Z]|[ST]\d{2}[A-Z]{2}\d{4}[A-Z])", "sg.uen", "strong", "uen"),
    _id("FI_HETU", r"\d{6}[-+ABCDEFYXWVU]\d{3}[0-9A-Y]", "fi_hetu", "strong", "henkilötunnus, finnish"),
    _id("KR_PASSPORT", r"[MSRODG]\d{3}[A-Z]\d{4}", "", "strong", "passport, 여권"),
    _id("KR_PASSPORT", r"[MSRODG]\d{8}", "", "context", "passport, 여권"),
    _id("US_PASSPORT", r"[A-Z]\d{8}", "", "context", "passport"),
    _id(
        "US_DRIVER_LICENSE",
        r"[A-Z]\d{7,13}",
        "",
        "context",
        "driver license, driver's license, drivers license, licence, license",
        alone=False,
    ),
    _id(
        "US_MBI",
        r"[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d[AC-HJKMNP-RT-Y]{2}\d{2}",
        "",
        "strong",
        "mbi, medicare",
    ),
    _id(
        "MEDICAL_LICENSE", r"[ABCDEFGHJKLMPRSTUX][A-Z9]\d{7}", "us_dea", "context", "dea, certificate, medical license"
    ),
    _id("IN_PASSPORT", r"[A-PR-WY][1-9]\d{6}", "", "context", "passport"),
    _id(
        "UK_DRIVING_LICENCE",
        r"[A-Z]{1,5}9{0,4}\d(?:[05][1-9]|[16][0-2])(?:0[1-9]|[12]\d|3[01])\d[A-Z9]{2}[A-Z0-9]{3}",
        "",
        "strong",
        "licence",
    ),
    _id("UK_PASSPORT", r"[A-Z]{2}\d{7}", "", "context", "passport"),
    _id(
        "DE_ID_CARD",
        r"[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{7}\d",
        "icao",
        "context",
        "personalausweis, ausweis, reisepass, passport",
    ),
    _id("DE_HEALTH_INSURANCE", r"[A-Z]\d{9}", "de_kvnr", "context", "kvnr, krankenkasse, egk, versichertennummer"),
    _id(
        "DE_SOCIAL_SECURITY",
        r"\d{2}(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}[A-Z]\d{3}",
        "de_svnr",
        "strong",
        "sozialversicherungsnummer, rentenversicherung",
    ),
    _id("CN_RIC", r"\d{17}[0-9X]", "cn.ric", "strong", "身份证"),
    _id("TW_ID", r"[A-Z][1289]\d{8}", "", "context", "身分證, taiwan id", alone=False),
    _id("HK_ID", r"[A-Z]{1,2}\d{6}[0-9A]", "", "context", "hkid, 身份證", alone=False),
    _id("MX_CURP", r"[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d", "mx.curp", "strong", "curp"),
    _id("CL_RUT", r"\d{7,8}[0-9K]", "cl.rut", "context", "rut", alone=False),
    _id("IE_PPS", r"\d{7}[A-W][A-IW]?", "ie.pps", "context", "pps, ppsn", alone=False),
    _id("JP_PASSPORT", r"[A-Z]{2}\d{7}", "", "context", "パスポート, 旅券, passport"),
    _id("US_VIN", r"[A-HJ-NPR-Z0-9]{17}", "", "context", "vin, vehicle identification", alone=False),
)
