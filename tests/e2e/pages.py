"""Every page of the dock, by name."""

from __future__ import annotations

PAGES = {
    "live": "/dock/",
    "search": "/dock/search/?q=lease+race",
    "search tips": "/dock/search/",
    "search without hits": "/dock/search/?q=%22no+such+thing%22&kind=skill&project=harbor-api",
    "journals": "/dock/journals/?project=harbor-api",
    "day": "/dock/journals/2026-01-14/",
    "entry": "/dock/entries/80/",
    "entry source": "/dock/entries/80/?view=source",
    "conversation": "/dock/entries/80/transcript/",
    "sessions": "/dock/sessions/",
    "session": "/dock/sessions/37b35626-639d-490e-acfe-cb93621f0837/",
    "skills": "/dock/skills/?state=all",
    "skill": "/dock/skills/harbor-api/import-tide-tables/",
    "skill source": "/dock/skills/harbor-api/import-tide-tables/?view=source",
    "broken skill": "/dock/skills/harbor-api/review-a-migration/",
    "documents": "/dock/documents/",
    "document": "/dock/documents/harbor-api/PROJECT.md/",
    "document history": "/dock/documents/harbor-api/USER.md/?view=history",
    "files": "/dock/files/harbor-api/",
    "file": "/dock/files/harbor-api/?path=memory/2026-01-13.md",
    "file text": "/dock/files/harbor-api/?path=memory/2026-01-13.md&view=text",
    "missing file": "/dock/files/harbor-api/?path=memory/nothing.md",
    "health": "/dock/health/",
    "add a project": "/dock/projects/add/",
    "nothing": "/dock/nothing/",
}
MISSING = {"missing file", "nothing"}
