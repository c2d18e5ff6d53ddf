// The console's page in the program: the compiler takes the files of Pages in as they stand there, so they need no
// step of a build and no file beside the program. #embed is C23, and clang's in every dialect; the same bytes as
// literals of Swift took the compiler 20 s (decision 0225). A test compares the table with the folder.

#include "console_pages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api_js[] = {
#embed "Pages/api.js"
};
static const unsigned char app_js[] = {
#embed "Pages/app.js"
};
static const unsigned char changes_js[] = {
#embed "Pages/changes.js"
};
static const unsigned char conflicts_js[] = {
#embed "Pages/conflicts.js"
};
static const unsigned char containers_js[] = {
#embed "Pages/containers.js"
};
static const unsigned char dialogs_js[] = {
#embed "Pages/dialogs.js"
};
static const unsigned char document_js[] = {
#embed "Pages/document.js"
};
static const unsigned char documents_js[] = {
#embed "Pages/documents.js"
};
static const unsigned char dom_js[] = {
#embed "Pages/dom.js"
};
static const unsigned char editor_js[] = {
#embed "Pages/editor.js"
};
static const unsigned char feed_js[] = {
#embed "Pages/feed.js"
};
static const unsigned char icon_svg[] = {
#embed "Pages/icon.svg"
};
static const unsigned char index_html[] = {
#embed "Pages/index.html"
};
static const unsigned char json_js[] = {
#embed "Pages/json.js"
};
static const unsigned char listing_js[] = {
#embed "Pages/listing.js"
};
static const unsigned char members_js[] = {
#embed "Pages/members.js"
};
static const unsigned char merge_js[] = {
#embed "Pages/merge.js"
};
static const unsigned char mesh_js[] = {
#embed "Pages/mesh.js"
};
static const unsigned char metrics_js[] = {
#embed "Pages/metrics.js"
};
static const unsigned char node_js[] = {
#embed "Pages/node.js"
};
static const unsigned char overview_js[] = {
#embed "Pages/overview.js"
};
static const unsigned char plot_js[] = {
#embed "Pages/plot.js"
};
static const unsigned char slot_js[] = {
#embed "Pages/slot.js"
};
static const unsigned char slots_js[] = {
#embed "Pages/slots.js"
};
static const unsigned char spaces_js[] = {
#embed "Pages/spaces.js"
};
static const unsigned char style_css[] = {
#embed "Pages/style.css"
};
static const unsigned char text_js[] = {
#embed "Pages/text.js"
};
static const unsigned char virtual_js[] = {
#embed "Pages/virtual.js"
};
static const unsigned char words_js[] = {
#embed "Pages/words.js"
};

#define PAGE(name, bytes) { name, bytes, sizeof bytes }

static const console_page pages[] = {
    PAGE("api.js", api_js),
    PAGE("app.js", app_js),
    PAGE("changes.js", changes_js),
    PAGE("conflicts.js", conflicts_js),
    PAGE("containers.js", containers_js),
    PAGE("dialogs.js", dialogs_js),
    PAGE("document.js", document_js),
    PAGE("documents.js", documents_js),
    PAGE("dom.js", dom_js),
    PAGE("editor.js", editor_js),
    PAGE("feed.js", feed_js),
    PAGE("icon.svg", icon_svg),
    PAGE("index.html", index_html),
    PAGE("json.js", json_js),
    PAGE("listing.js", listing_js),
    PAGE("members.js", members_js),
    PAGE("merge.js", merge_js),
    PAGE("mesh.js", mesh_js),
    PAGE("metrics.js", metrics_js),
    PAGE("node.js", node_js),
    PAGE("overview.js", overview_js),
    PAGE("plot.js", plot_js),
    PAGE("slot.js", slot_js),
    PAGE("slots.js", slots_js),
    PAGE("spaces.js", spaces_js),
    PAGE("style.css", style_css),
    PAGE("text.js", text_js),
    PAGE("virtual.js", virtual_js),
    PAGE("words.js", words_js),
};

console_page console_page_at(size_t number) {
    const console_page none = { NULL, NULL, 0 };
    return number < sizeof pages / sizeof pages[0] ? pages[number] : none;
}
