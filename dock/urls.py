"""The dock's addresses."""

from __future__ import annotations

from django.urls import path

from dock import converters
from dock.views import (
    documents,
    entries,
    files,
    health,
    journals,
    live,
    projects,
    search,
    sessions,
    shell,
    sign_in,
    skills,
)

converters.register()

app_name = "dock"

# /dock/…
urlpatterns = [
    path("", live.index, name="live"),
    path("search/", search.index, name="search"),
    path("search/expand/", search.expand, name="search-expand"),
    path("search/palette/", search.palette, name="search-palette"),
    path("journals/", journals.index, name="journal-list"),
    path("journals/<day:day>/", journals.day, name="journal-day"),
    path("entries/<int:pk>/", entries.detail, name="entry-detail"),
    path("entries/<int:pk>/transcript/", entries.transcript, name="entry-transcript"),
    path("sessions/", sessions.index, name="session-list"),
    path("sessions/<name:key>/", sessions.detail, name="session-detail"),
    path("skills/", skills.index, name="skill-list"),
    path("skills/<name:project>/<name:slug>/", skills.detail, name="skill-detail"),
    path("documents/", documents.index, name="document-list"),
    path("documents/<name:project>/<name:name>/", documents.detail, name="document-detail"),
    path("files/", files.index, name="file-list"),
    path("files/<name:project>/", files.browser, name="file-browser"),
    path("files/<name:project>/branch/", files.branch, name="file-branch"),
    path("files/<name:project>/raw/", files.download, name="file-download"),
    path("health/", health.index, name="health"),
    path("projects/<name:project>/sync/", health.sync, name="project-sync"),
    path("projects/add/", projects.add, name="project-add"),
    path("rail/", shell.rail, name="rail"),
    path("sign-in/", sign_in.index, name="sign-in"),
    path("sign-in/<str:token>/", sign_in.link, name="sign-in-link"),
    path("sign-out/", sign_in.out, name="sign-out"),
]
