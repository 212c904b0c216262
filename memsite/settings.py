"""Django's settings, all of them from the environment (see memsite.environment)."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import tzlocal
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP

from memsite import environment
from memsite.layers import channel_layers

ENV = environment.read()

try:
    VERSION = version("memdock")
except PackageNotFoundError:  # run from a checkout that was never installed
    VERSION = "0"

PACKAGE = Path(__file__).resolve().parent
# An installed MemDock carries templates and static files inside (pyproject.toml, force-include).
ASSETS = PACKAGE / "bundle" if (PACKAGE / "bundle").is_dir() else PACKAGE.parent

SECRET_KEY = ENV.secret_key
INSTANCE_ID = ENV.instance_id
DATA_DIR = ENV.data_dir
DEBUG = False
ALLOWED_HOSTS = ENV.allowed_hosts
OPEN_TO_OTHERS = not ENV.is_loopback
EMBED_ORIGINS = ENV.embed_origins
"""Origins whose pages may frame the capsule."""

INSTALLED_APPS = [
    "memory",
    "dock",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "django_htmx",
    "django_tasks_db",
    "ninja",
]

MIDDLEWARE = [
    "memsite.doors.DoorMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "memsite.urls"
ASGI_APPLICATION = "memsite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ASSETS / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csp",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dock.contexts.shell.shell",
            ],
        },
    }
]

DATABASES = {"default": ENV.database}

CHANNEL_LAYERS = channel_layers(ENV.redis_url)

MILVUS_URI = ENV.milvus.uri if ENV.milvus else ""
"""Empty unless MEMDOCK_SEARCH is milvus."""
MILVUS_TOKEN = ENV.milvus.token if ENV.milvus else ""

MEMORY_SERVICE = ENV.service
"""How long the memory service waits for plugins, and which calls they get (memory.service.routing)."""

TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}

# The local zone: agents write journals in local time, and so "today" is the local day.
TIME_ZONE = tzlocal.get_localzone_name()
USE_TZ = True
USE_I18N = False
LANGUAGE_CODE = "en-gb"

STATIC_URL = "/static/"
STATICFILES_DIRS = [ASSETS / "static"]
WHITENOISE_USE_FINDERS = True  # no collectstatic between a person and the first page
WHITENOISE_AUTOREFRESH = False
WHITENOISE_MAX_AGE = 300

LOGIN_URL = "dock:sign-in"
LOGIN_REDIRECT_URL = "dock:live"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Cookies do not tell ports apart: two MemDocks on one machine must not sign each other out.
SESSION_COOKIE_NAME = f"memdock_{INSTANCE_ID[:8]}"
SESSION_COOKIE_AGE = 365 * 24 * 3600
CSRF_COOKIE_NAME = f"memdock_csrf_{INSTANCE_ID[:8]}"
CSRF_COOKIE_HTTPONLY = True  # pages carry the token in the form or in hx-headers
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENV.https
if EMBED_ORIGINS and ENV.https:
    # A frame in a page of another site gets no other cookies. Without https, only pages of the same host name can
    # frame the capsule of somebody who is signed in, whatever their port.
    SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "None"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

if ENV.https:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
elif OPEN_TO_OTHERS:
    SILENCED_SYSTEM_CHECKS: list[str] = []
else:
    # HSTS, redirects to https and secure cookies would only break http://127.0.0.1.
    SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W008", "security.W012", "security.W016"]

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF, CSP.NONCE],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024 * 1024  # a turn with its outputs; smaller ones are the operations' own

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {"memdock": {"level": "INFO"}},
}

if os.environ.get("MEMDOCK_LOG_LEVEL"):
    level = os.environ["MEMDOCK_LOG_LEVEL"].upper()
    if level not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
        raise ImproperlyConfigured(f"MEMDOCK_LOG_LEVEL: {level!r} is not DEBUG, INFO, WARNING or ERROR.")
    LOGGING["loggers"]["memdock"]["level"] = level  # type: ignore[index]
