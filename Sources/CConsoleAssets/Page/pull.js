// SPDX-License-Identifier: Apache-2.0

// The session with the console, and the frames that the page pulls, one after the other: who is slow asks
// less, and there is no other path for reconnecting.

const storage = 'cascade-console-token', patience = 10_000, stayTime = 20_000;
let token = '', bus = null;

/// Asks from now on about one of several buses; `null`: about the first.
export function lookAt(name) { bus = name; }

/// Whether the page has a token that the console has not refused.
export const isAdmitted = () => Boolean(token);

/// An answer that is no document: with the sentence of the console.
export class Refused extends Error {
  constructor(status, error) {
    super(error?.message ?? `The console answered with ${status}.`);
    Object.assign(this, { status, refusal: error?.name, details: error });
  }
}

/// What says which bus is meant.
const ofBus = () => bus ? { bus } : {};

async function ask(path, body, signal) {
  const headers = {}, sent = token;
  if (body) headers['Content-Type'] = 'application/json';
  // The browser adds the person's password for a proxy in 'Authorization', so the token has a header of its own.
  if (token) headers['X-Cascade-Token'] = token;
  const answer = await fetch(`.${path}`, {
    method: body ? 'POST' : 'GET', signal, credentials: 'same-origin', cache: 'no-store', redirect: 'error', headers,
    body: body && JSON.stringify(body),
  }).catch(error => { throw error.name === 'AbortError' ? error : new Error('The console does not answer.'); });
  const text = await answer.text();
  let json = null;
  try { json = JSON.parse(text); } catch { throw new Refused(answer.status, null); }
  // The page may have another token meanwhile.
  if (answer.status === 401 && token === sent) token = '';
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
      const session = await ask('/v1/session', { key, ...ofBus() });
      localStorage.setItem(storage, token = session.token);
      return session;
    } catch (error) { if (!localStorage.getItem(storage)) throw error; }
  }
  token = localStorage.getItem(storage) ?? '';
  return ask('/v1/session', ofBus());
}

/// Returns which actions the bus allows at a place, and why not the others.
export const readRights = async path => (await ask('/v1/session', { path, ...ofBus() })).actions;

/// Returns the document of a command of cascadectl.
export const readDocument = (kind, parameters = {}) =>
  ask(`/v1/document/${kind}?${new URLSearchParams({ ...parameters, ...ofBus() })}`);

/// Returns the nodes of all buses for which a text holds.
export const findNodes = sought => ask(`/v1/find?${new URLSearchParams({ sought })}`);

/// Returns the nodes of the site at a place.
export const readSite = place => ask(`/v1/site?${new URLSearchParams({ place, ...ofBus() })}`);

/// Returns the children of a node, of which 'child' is one in any case.
export const readChildren = (path, child) =>
  ask(`/v1/children?${new URLSearchParams({ path, ...(child && { child }), ...ofBus() })}`);

/// Asks for an action, and returns the outcome document.
export const act = (name, body) => ask(`/v1/action/${name}`, { ...body, ...ofBus() });

/// A name that no other page or request has, of so many random bytes.
export function randomName(count) {
  return Array.from(crypto.getRandomValues(new Uint8Array(count)), byte => byte.toString(16)).join('');
}

/// Pulls frames for ever. 'wanted' returns what the page shows; 'take' gets each frame, and 'fail' each
/// error. The page asks again after it has painted.
export async function pull(wanted, take, fail) {
  setInterval(stay, stayTime);
  const painted = () => new Promise(resume => { requestAnimationFrame(() => resume()); setTimeout(resume, 1000); });
  for (;;) {
    if (document.hidden || wanted() === null) { await new Promise(resume => waiting = resume); continue; }
    let frame = null;
    try {
      const asked = bus, body = { page, ...ofBus(), ...wanted(), urgent };
      urgent = false;
      controller = new AbortController();
      frame = await ask('/v1/frame', body, AbortSignal.any([AbortSignal.timeout(patience), controller.signal]));
      // The page may look at another bus meanwhile.
      if (asked === bus) take(frame);
    } catch (error) {
      if (error.name === 'AbortError') continue;
      fail(error);
      await new Promise(resume => setTimeout(resume, error.status === 401 ? 3000 : 500));
    }
    // What belongs to a frame is asked for at once.
    if (!frame?.more) await painted();
  }
}

/// The page's name for itself.
const page = randomName(8);

/// A page that is stopped is looked at nevertheless: the console goes on recording for it.
function stay() {
  if (waiting && token && !document.hidden) ask('/v1/frame', { page, ...ofBus(), urgent: true }).catch(() => {});
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
