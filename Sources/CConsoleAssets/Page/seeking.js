// SPDX-License-Identifier: Apache-2.0

// What narrows the tree: the filters above it, and what is sought. Pure.

export const filters = {
  All: () => true,
  Live: node => node.state === 'live',
  Inactive: node => node.state === 'inactive',
  Vacant: node => node.state === 'vacant',
  Silent: node => node.state === 'unresponsive',
  // A mean of long ago says nothing of now.
  Busy: ({ queue, mean, rate, spark }) => queue > 8 || mean > 5000 && (rate > 0 || spark.length > 0),
};

/// The conditions by their names, of lower-case values.
const fields = {
  state: (node, value) => node.state === (value === 'silent' ? 'unresponsive' : value),
  asked: (node, value) => node.asked.some(name => name.toLowerCase() === value),
  told: (node, value) => node.told.some(name => name.toLowerCase() === value),
  unit: (node, value) => matches(node.unit.toLowerCase(), value),
  user: (node, value) => node.user.toLowerCase() === value,
  rate: (node, value) => compare(node.rate, value),
  queue: (node, value) => compare(node.queue, value),
};

/// What narrows nothing: of which bus is said to the console, which looks in all of them; and a condition without
/// its value, because one types it.
const idle = /^(bus:.*|(rate|queue):[<>]?)?$/;

/// Whether a condition has something else than its number.
export const lacksNumber = text =>
  text.split(/\s+/).some(part => isNaN(part.match(/^(?:rate|queue):[<>]?(.*)/i)?.[1] ?? 0));

/// Reads what is sought: words, and conditions such as state:vacant or queue:>0.
export function parse(text) {
  const words = text.trim().toLowerCase().split(/\s+/).filter(part => !idle.test(part));
  return words.map(part => {
    const colon = part.indexOf(':'), name = part.slice(0, Math.max(0, colon));
    if (Object.hasOwn(fields, name)) return node => fields[name](node, part.slice(colon + 1));
    return node => node.path.toLowerCase().includes(part) || node.words.includes(part);
  });
}

/// Whether a number is that of a text, or above or below it: '5', '>5', '<5'.
function compare(number, text) {
  if (text.startsWith('>')) return number > Number(text.slice(1));
  if (text.startsWith('<')) return number < Number(text.slice(1));
  return number === Number(text);
}

/// Whether a text is of a pattern with asterisks.
function matches(text, pattern) {
  const parts = pattern.split('*'), last = parts.at(-1);
  if (parts.length === 1) return text === pattern;
  let at = parts[0].length;
  if (!text.startsWith(parts[0]) || !text.endsWith(last)) return false;
  for (const part of parts.slice(1, -1)) {
    at = text.indexOf(part, at);
    if (at < 0) return false;
    at += part.length;
  }
  return at <= text.length - last.length;
}
