// SPDX-License-Identifier: Apache-2.0

// The session with the console, and the frames that the page pulls, one after the other: who is slow asks
// less, and there is no other path for reconnecting.

const storage = 'cascade-console-token';
let token = '', bus = null;

/// Asks from now on about one of several buses; `null`: about the first.
export function lookAt(name) { bus = name; }

/// An answer that is no document: with the sentence of the console.
export class Refused extends Error {
  constructor(status, error) { super(error?.message ?? `The console answered with ${status}.`); this.status = status; this.refusal = error?.name; this.details = error; }
}

async function ask(path, body, signal) {
  const answer = await fetch(`.${path}`, {
    method: body ? 'POST' : 'GET', signal, credentials: 'omit', cache: 'no-store', redirect: 'error',
    headers: { ...(body && { 'Content-Type': 'application/json' }), ...(token && { Authorization: `Bearer ${token}` }) },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  let json = null;
  try { json = JSON.parse(text); } catch { throw new Refused(answer.status, null); }
  if (!answer.ok) throw new Refused(answer.status, json.error);
  return json;
}

/// Opens a session by the key in the address, or by the token of an earlier one.
export async function openSession() {
  const options = new URLSearchParams(location.hash.slice(1)), key = options.get('key');
  if (key) {
    // The key is used up by this, so it does not stay in the address.
    options.delete('key');
    history.replaceState(null, '', `#${options}`);
    token = '';
    try {
      const session = await ask('/v1/session', { key, ...(bus && { bus }) });
      localStorage.setItem(storage, token = session.token);
      return session;
    } catch (error) { if (!localStorage.getItem(storage)) throw error; }
  }
  token = localStorage.getItem(storage) ?? '';
  return ask('/v1/session', { ...(bus && { bus }) });
}

/// Returns the document of a command of cascadectl.
export const readDocument = (kind, parameters = {}) => ask(`/v1/document/${kind}?${new URLSearchParams({ ...parameters, ...(bus && { bus }) })}`);

/// Returns the nodes of all buses for which a text holds.
export const findNodes = sought => ask(`/v1/find?${new URLSearchParams({ sought })}`);

/// Returns the nodes of the site at a place.
export const readSite = place => ask(`/v1/site?${new URLSearchParams({ place, ...(bus && { bus }) })}`);

/// Asks for an action, and returns the outcome document.
export const act = (name, body) => ask(`/v1/action/${name}`, { ...body, ...(bus && { bus }) });

/// A name that no other page or request has, of so many random bytes.
export const randomName = count => Array.from(crypto.getRandomValues(new Uint8Array(count)), byte => byte.toString(16)).join('');

/// Pulls frames for ever. 'wanted' returns what the page shows; 'take' gets each frame, and 'fail' each
/// error. The page asks again after it has painted.
export async function pull(wanted, take, fail) {
  const page = randomName(8);
  const painted = () => new Promise(resume => { requestAnimationFrame(() => resume()); setTimeout(resume, 1000); });
  for (;;) {
    if (document.hidden || wanted() === null) { await new Promise(resume => waiting = resume); continue; }
    try {
      const isUrgent = urgent; urgent = false;
      const limit = AbortSignal.timeout(10_000);
      controller = new AbortController();
      const asked = bus, frame = await ask('/v1/frame', { page, ...(bus && { bus }), ...wanted(), urgent: isUrgent }, AbortSignal.any([limit, controller.signal]));
      // The page may look at another bus meanwhile.
      if (asked === bus) take(frame);
    } catch (error) {
      if (error.name === 'AbortError') continue;
      fail(error);
      await new Promise(resume => setTimeout(resume, error.status === 401 ? 3000 : 500));
    }
    await painted();
  }
}

let waiting = null, urgent = false, controller = null, hurrying = 0;

/// Asks for a frame soon, because the page shows something else; while one scrolls on, only at its end.
export function hurry() {
  clearTimeout(hurrying);
  hurrying = setTimeout(pullAgain, 60);
}

/// Asks for a frame at once.
export function pullAgain() { clearTimeout(hurrying); urgent = true; controller?.abort(); wake(); }

/// Goes on after the page was hidden or stopped.
export function wake() { const resume = waiting; waiting = null; resume?.(); }

document.addEventListener('visibilitychange', () => { if (!document.hidden) wake(); });
