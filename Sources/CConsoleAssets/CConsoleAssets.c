// SPDX-License-Identifier: Apache-2.0

#include "CConsoleAssets.h"

// #embed is of C23; the compiler has it in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "Page/index.html"
};
static const unsigned char console_css[] = {
#embed "Page/console.css"
};
static const unsigned char panels_css[] = {
#embed "Page/panels.css"
};
static const unsigned char icon_svg[] = {
#embed "Page/icon.svg"
};
static const unsigned char main_js[] = {
#embed "Page/main.js"
};
static const unsigned char address_js[] = {
#embed "Page/address.js"
};
static const unsigned char bar_js[] = {
#embed "Page/bar.js"
};
static const unsigned char speech_js[] = {
#embed "Page/speech.js"
};
static const unsigned char model_js[] = {
#embed "Page/model.js"
};
static const unsigned char seeking_js[] = {
#embed "Page/seeking.js"
};
static const unsigned char text_js[] = {
#embed "Page/text.js"
};
static const unsigned char make_js[] = {
#embed "Page/make.js"
};
static const unsigned char tree_js[] = {
#embed "Page/tree.js"
};
static const unsigned char row_js[] = {
#embed "Page/row.js"
};
static const unsigned char tracks_js[] = {
#embed "Page/tracks.js"
};
static const unsigned char node_js[] = {
#embed "Page/node.js"
};
static const unsigned char events_js[] = {
#embed "Page/events.js"
};
static const unsigned char lists_js[] = {
#embed "Page/lists.js"
};
static const unsigned char trace_js[] = {
#embed "Page/trace.js"
};
static const unsigned char payload_js[] = {
#embed "Page/payload.js"
};
static const unsigned char time_js[] = {
#embed "Page/time.js"
};
static const unsigned char capture_js[] = {
#embed "Page/capture.js"
};
static const unsigned char past_js[] = {
#embed "Page/past.js"
};
static const unsigned char pull_js[] = {
#embed "Page/pull.js"
};
static const unsigned char actions_js[] = {
#embed "Page/actions.js"
};
static const unsigned char buses_js[] = {
#embed "Page/buses.js"
};
static const unsigned char sites_js[] = {
#embed "Page/sites.js"
};
static const unsigned char grafts_js[] = {
#embed "Page/grafts.js"
};
static const unsigned char found_js[] = {
#embed "Page/found.js"
};
static const unsigned char filters_js[] = {
#embed "Page/filters.js"
};
static const unsigned char parts_js[] = {
#embed "Page/parts.js"
};
static const unsigned char keys_js[] = {
#embed "Page/keys.js"
};

#define ASSET(name, bytes) {name, bytes, sizeof bytes}

static const struct cascade_console_asset assets[] = {
    ASSET("index.html", index_html), ASSET("console.css", console_css),
    ASSET("main.js", main_js),       ASSET("model.js", model_js),
    ASSET("text.js", text_js),       ASSET("make.js", make_js),
    ASSET("tree.js", tree_js),       ASSET("tracks.js", tracks_js),
    ASSET("node.js", node_js),       ASSET("events.js", events_js),
    ASSET("trace.js", trace_js),     ASSET("time.js", time_js),
    ASSET("pull.js", pull_js),       ASSET("keys.js", keys_js),
    ASSET("actions.js", actions_js), ASSET("buses.js", buses_js),
    ASSET("past.js", past_js),       ASSET("parts.js", parts_js),
    ASSET("capture.js", capture_js), ASSET("sites.js", sites_js),
    ASSET("grafts.js", grafts_js),   ASSET("filters.js", filters_js),
    ASSET("lists.js", lists_js),     ASSET("row.js", row_js),
    ASSET("address.js", address_js), ASSET("bar.js", bar_js),
    ASSET("speech.js", speech_js),
    ASSET("seeking.js", seeking_js), ASSET("panels.css", panels_css),
    ASSET("found.js", found_js),     ASSET("icon.svg", icon_svg),
    ASSET("payload.js", payload_js),
};

unsigned long cascade_console_asset_count(void) {
    return sizeof assets / sizeof assets[0];
}

struct cascade_console_asset cascade_console_asset(unsigned long index) {
    return assets[index];
}
