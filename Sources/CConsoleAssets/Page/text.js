// SPDX-License-Identifier: Apache-2.0

// How numbers, times and foreign texts are written. Pure: it knows neither the page nor the bus.

const controls = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f';
const directions = '\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb';
const hidden = new RegExp(`[${controls}${directions}]`, 'g');
const lengthMax = 4096;

/// Text with control and bidirectional characters made visible: at most 4,096 characters of it. One that keeps its
/// lines, such as a payload, is bounded by who shows it.
export function shown(text, keepsLines = false) {
  let result = text.length > lengthMax && !keepsLines ? text.slice(0, lengthMax) + '…' : text;
  result = result.replace(hidden, mark => `⟨U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
  if (!keepsLines) result = result.replace(/[\t\n]/g, ' ');
  return result.isWellFormed?.() === false ? result.toWellFormed() : result;
}

/// A number of at most four digits.
export function count(n) {
  if (n >= 1e6) return (n / 1e6).toFixed(1) + 'M';
  if (n >= 1000) return (n / 1000).toFixed(n >= 1e5 ? 0 : 1) + 'k';
  return String(n >= 100 ? Math.round(n) : Number(n.toFixed(1)));
}

/// A number of things, such as '1 node' or '10,000 nodes'.
export const counted = (n, thing) => `${n.toLocaleString('en')} ${thing}${n === 1 ? '' : 's'}`;

/// A duration given in microseconds.
export function duration(us) {
  if (us == null) return '';
  if (us >= 60e6) return `${Math.floor(us / 60e6)} min ${Math.floor(us / 1e6 % 60)} s`;
  if (us >= 1e6) return (us / 1e6).toFixed(us >= 1e7 ? 1 : 2) + ' s';
  return us >= 1000 ? (us / 1000).toFixed(us >= 1e4 ? 1 : 2) + ' ms' : Math.round(us) + ' µs';
}

/// A mark of an axis, given in microseconds.
export function tick(us) {
  const [value, unit] = us >= 1e6 ? [us / 1e6, 's'] : us >= 1000 ? [us / 1000, 'ms'] : [us, 'µs'];
  return `${Number(value.toFixed(2))} ${unit}`;
}

/// An age given in milliseconds.
export function age(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  return s < 86400 ? `${Math.floor(s / 3600)} h ${Math.floor(s / 60 % 60)} min` : `${Math.floor(s / 86400)} d`;
}

/// Bytes as people read them.
export function bytes(n) {
  if (n == null) return '';
  if (n < 1000) return `${n} B`;
  return n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : n < 1e9 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e9).toFixed(1)} GB`;
}

const two = n => String(n).padStart(2, '0');

/// The wall clock's time of milliseconds since 1970, in the time zone of the browser.
export function clock(ms, digits = 0) {
  const date = new Date(ms);
  const whole = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return digits ? `${whole}.${String(date.getMilliseconds()).padStart(3, '0').slice(0, digits)}` : whole;
}

const isToday = ms => new Date(ms).toDateString() === new Date().toDateString();
const day = ms => new Date(ms).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });

/// When something was, given in milliseconds since 1970: the time of today, or an earlier day.
export const clockOrDay = ms => isToday(ms) ? clock(ms) : day(ms);

/// The same in whole, after a word such as 'raised'.
export const atClock = ms => (isToday(ms) ? '' : `on ${day(ms)} `) + `at ${clock(ms)}`;

/// Milliseconds since 1970 of a timestamp of the bus.
export const milliseconds = timestamp => Date.parse(timestamp.slice(0, 23) + 'Z');

/// Microseconds since 1970 of a timestamp of the bus, whose fraction has six digits.
export function microseconds(timestamp) {
  if (!timestamp) return null;
  return Date.parse(timestamp.slice(0, 19) + 'Z') * 1000 + Number(timestamp.slice(20, 26));
}

/// The last component of a path; of one that is hidden or missing a mark.
export const leaf = path => path == null ? '…' : path === '/' ? '/' : path.slice(path.lastIndexOf('/') + 1);

/// A value of JSON on one line.
export const oneLine = value => value === undefined ? '' : JSON.stringify(value);

/// An event as the question of a what-if: without a payload that is too long for an address.
export function questionOf(event) {
  const payload = oneLine(event?.payload), isShort = encodeURIComponent(payload).length < 6000;
  return `${event?.name ?? ''} ${isShort ? payload : ''}`.trim();
}

/// What a payload is about, in a few words: texts before numbers, and of a file only its name.
export function gist(payload) {
  if (payload == null) return '';
  if (typeof payload !== 'object') return String(payload);
  const entries = Object.entries(payload);
  const texts = entries.filter(([, v]) => typeof v === 'string' && v).map(([, v]) => v.startsWith('/') ? leaf(v) : v);
  if (texts.length) return texts.slice(0, 2).join(', ');
  return entries.filter(([, v]) => typeof v !== 'object').slice(0, 2).map(([k, v]) => `${k} ${v}`).join(', ');
}

/// What an event is about: what its error says, or its payload.
export const about = ({ error, trail, payload }) =>
  error?.message ?? trail?.find(visit => visit.message)?.message ?? gist(payload);

/// What is said of a bus in its name: an endpoint without what each has.
export function busName(bus) {
  const path = bus.replace(/^ipc:\/\//, '').replace(/\/bus\.sock$/, '');
  return path.split('/').filter(Boolean).at(-1) ?? bus;
}
