"""The host puts everything together: :class:`Host` from a configuration or from parts, and what ``doctor`` finds."""

from ironhive.host.doctor import diagnose
from ironhive.host.host import Host
from ironhive.host.providers import providers_of

__all__ = ["Host", "diagnose", "providers_of"]
