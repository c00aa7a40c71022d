# SPDX-License-Identifier: Apache-2.0
"""Texts that a page must not take for anything else."""

TEXTS = [
    "<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "javascript:alert(1)",
    "<svg/onload=alert(1)>", "\u202egnp.exe", "a\u0000b", "__proto__", "constructor", "{{7*7}}",
    "${alert(1)}", "'\"><b>x", "<!--", "]]>", "&lt;b&gt;", "\u2066x\u2069", "\ufeff", "\u200b",
    "x" * 60_000, "\ud83d\ude00", "<iframe src=//x>", "<style>*{display:none}</style>", "%00%0a", "\r\n\r\n",
    "<a href=javascript:alert(1)>x</a>", "<base href=//x>", "<meta http-equiv=refresh content=0>",
    "\\u003cb\\u003e", "<template><b></template>", "<math><mi//xlink:href=1>", "\u0085\u2028\u2029",
]

# The number of elements of a page that only markup of foreign texts would make.
ELEMENTS = "return document.querySelectorAll('img, iframe, base, style, template, math, a, meta[http-equiv], script:not([src]), #list b b').length"
