-- SPDX-License-Identifier: Apache-2.0
--
-- Turns what a documentation article is written in into what a manual's page is.

-- Links lead nowhere on paper: another article's name stands for it, and so does a section's.
function Link(link)
    local article = link.target:match("^doc:(.+)")
    if article then
        return pandoc.Emph((article:gsub("(%l)(%u)", "%1 %2")))
    end
    return link.target:match("^#") and pandoc.Emph(link.content) or link.content
end

-- <doc:Article> is a link without words, or passes for markup of another kind.
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
