// What the headset tracks, each XR frame, to the server that gave this page. The message: sources/webxr_frames.py.
"use strict";

const RETRY_MS = 1000;
const MOST_WAITING = 65536; // bytes that wait to be sent; above, a frame is left out
const show = (id, text) => { document.getElementById(id).textContent = text; };
const enter = document.getElementById("enter");
const encoder = new TextEncoder();
const token = decodeURIComponent(location.hash.slice(1));
if (token) history.replaceState(null, "", location.pathname); // not in the list of visited pages

let socket = null;
let session = null;
let space = null;
let epoch = 0;
let seq = 0;
let sent = 0;
let supported = false;

function say(what) {
  if (socket !== null && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(what));
}

function refresh() {
  const open = socket !== null && socket.readyState === WebSocket.OPEN;
  enter.disabled = session === null && !(open && supported);
  enter.textContent = session === null ? "Enter" : "Leave";
}

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/headset`);
  let welcome = false;
  socket.onopen = () => { if (token) say({ token }); };
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.welcome) {
      welcome = true;
      show("connection", "Connected to the program.");
      if (session !== null) say({ begin: true });
    }
    if (message.driver === false) {
      show("note", "Another headset moves the robot. Enter again when it has left.");
      if (session !== null) session.end();
    }
    if (message.driver === true) show("note", "You move the robot.");
    if (typeof message.heard === "number") show("heard", String(message.heard));
    refresh();
  };
  socket.onclose = (event) => {
    const refused = event.code === 1008;
    show("connection", refused ? `Refused: ${event.reason}` : "The program cannot be reached. Trying again …");
    refresh();
    if (!refused) setTimeout(connect, welcome ? RETRY_MS : 2 * RETRY_MS);
  };
}

// Seven numbers of a pose, rounded to what a tracker knows; null where there is none.
function seven(pose) {
  if (!pose) return null;
  const p = pose.transform.position, q = pose.transform.orientation;
  return [p.x, p.y, p.z, q.x, q.y, q.z, q.w].map((v) => Math.round(v * 1e6) / 1e6);
}

function hand(frame, source) {
  if (source.hand) {
    const joints = [];
    for (const joint of source.hand.values()) {
      const pose = seven(frame.getJointPose(joint, space));
      if (pose === null) return null;
      joints.push(pose);
    }
    return joints.length === 25 ? { joints } : null;
  }
  const grip = source.gripSpace ? seven(frame.getPose(source.gripSpace, space)) : null;
  if (grip === null) return null;
  const buttons = source.gamepad ? source.gamepad.buttons : [];
  const pressed = (k) => (buttons.length > k ? buttons[k].value : 0);
  return { grip, trigger: pressed(0), squeeze: pressed(1) };
}

function tracked(value) {
  if (!value) return "not seen";
  return value.joints ? "hand" : value.grip ? "controller" : "tracked";
}

function onFrame(time, frame) {
  if (session === null) return;
  session.requestAnimationFrame(onFrame);
  const message = { seq: seq++, t: time, epoch, head: seven(frame.getViewerPose(space)) };
  for (const source of session.inputSources) {
    if (source.handedness === "left" || source.handedness === "right") {
      message[source.handedness] = hand(frame, source) ?? message[source.handedness] ?? null;
    }
  }
  if (frame.body) {
    message.body = {};
    for (const [name, joint] of frame.body) message.body[name] = seven(frame.getPose(joint, space));
  }
  if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < MOST_WAITING) {
    socket.send(encoder.encode(JSON.stringify(message)));
    sent += 1;
  }
  if (seq % 20 === 0) {
    for (const name of ["head", "left", "right", "body"]) show(name, tracked(message[name]));
  }
}

async function begin() {
  const begun = await navigator.xr.requestSession("immersive-vr", {
    requiredFeatures: ["local-floor"],
    optionalFeatures: ["hand-tracking", "body-tracking"],
  });
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl", { xrCompatible: true });
  begun.updateRenderState({ baseLayer: new XRWebGLLayer(begun, gl) });
  space = await begun.requestReferenceSpace("local-floor");
  space.addEventListener("reset", () => { epoch += 1; });
  begun.addEventListener("visibilitychange", () => say({ presence: begun.visibilityState }));
  begun.addEventListener("end", () => {
    session = null;
    say({ end: true });
    for (const name of ["head", "left", "right", "body", "rate"]) show(name, "–");
    refresh();
  });
  session = begun;
  epoch += 1;
  say({ begin: true });
  session.requestAnimationFrame(onFrame);
  refresh();
}

enter.addEventListener("click", () => {
  if (session !== null) session.end();
  else begin().catch((error) => show("note", `The headset does not begin: ${error.message}`));
});

setInterval(() => {
  if (session !== null) show("rate", String(sent));
  sent = 0;
}, 1000);

(async () => {
  supported = Boolean(navigator.xr) && (await navigator.xr.isSessionSupported("immersive-vr").catch(() => false));
  if (!supported) show("note", "This browser has no headset. Open this page in the headset's own browser.");
  refresh();
  connect();
})();
