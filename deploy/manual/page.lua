-- SPDX-License-Identifier: Apache-2.0
--
-- Converts the links and headings of a documentation article for a manual page.

-- A manual page has no links: the name of the article or section replaces a link.
function Link(link)
    local article = link.target:match("^doc:(.+)")
    if article then
        return pandoc.Emph((article:gsub("(%l)(%u)", "%1 %2")))
    end
    return link.target:match("^#") and pandoc.Emph(link.content) or link.content
end

-- pandoc reads <doc:Article> as a link without text or as raw markup.
function RawInline(raw)
    local article = raw.text:match("^<doc:(.+)>$")
    return article and pandoc.Emph((article:gsub("(%l)(%u)", "%1 %2"))) or raw
end

function Header(header)
    if header.level == 1 then
        header = header:walk({
            Str = function(word)
                return pandoc.Str(pandoc.text.upper(word.text))
            end,
        })
    end
    return header
end
