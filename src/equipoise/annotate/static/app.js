"use strict";
// Makes the pages pleasant: keys, drafts, work time, texts that scroll in step, saving that is tried again.
(() => {
  const LONGEST_GAP_MS = 61000;
  const DRAFT_AFTER_MS = 400;
  const form = document.getElementById("set");
  const undo = document.getElementById("undo");
  const begin = document.getElementById("begin");
  const help = document.getElementById("help");
  const says = document.getElementById("says");

  const tell = (words) => { if (says) { says.textContent = words; says.hidden = !words; } };
  const remembered = (name) => { try { return localStorage.getItem(name) !== "no"; } catch { return true; } };
  const remember = (name, on) => { try { localStorage.setItem(name, on ? "yes" : "no"); } catch { /* private */ } };
  const later = (words) => { try { sessionStorage.setItem("says", words || ""); } catch { /* private */ } };
  const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });

  try { tell(sessionStorage.getItem("says") || ""); sessionStorage.removeItem("says"); } catch { /* private */ }

  // Sends a form until the server has acknowledged it; sent twice, it counts once.
  let isSending = false;
  async function send(sent, extra) {
    if (isSending) return;
    isSending = true;
    const body = new URLSearchParams([...new FormData(sent), ...Object.entries(extra)]);
    for (let tries = 0; ; tries += 1) {
      try {
        const answer = await fetch(sent.getAttribute("action"),
          { method: "POST", body, headers: { accept: "application/json" } });
        if (answer.status !== 429 && answer.status < 500) {
          const told = await answer.json();
          if (told.next) { location.assign(told.next); return; }
          if (answer.status === 409) { later(told.says); location.reload(); return; }
          tell(told.says || "This could not be saved.");
          isSending = false;
          return;
        }
      } catch { /* no network, or the server is being started again */ }
      tell("Not saved yet: the server does not answer. Trying again; leave this page open.");
      await wait(Math.min(5000, 300 * 2 ** Math.min(tries, 5)));
    }
  }

  if (undo) undo.addEventListener("submit", (event) => { event.preventDefault(); send(undo, {}); });
  if (begin) begin.focus({ preventScroll: true });

  const useKeys = document.getElementById("use-keys");
  if (useKeys) {
    document.getElementById("settings").hidden = false;
    useKeys.checked = remembered("keys");
    useKeys.addEventListener("change", () => remember("keys", useKeys.checked));
  }
  const hasKeys = () => !useKeys || useKeys.checked;

  if (!form) {
    document.addEventListener("keydown", (event) => {
      if (event.key === "Backspace" && undo && !/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) {
        event.preventDefault();
        undo.requestSubmit();
      }
    });
    const first = document.querySelector("#guess input[type=radio]:checked");
    if (first) first.focus();
    return;
  }

  // Work time: gaps between actions, each capped.
  let worked = Number(form.dataset.spent) * 1000;
  let actions = Number(form.dataset.actions);
  let last = performance.now();
  function act() {
    const now = performance.now();
    worked += Math.min(now - last, LONGEST_GAP_MS);
    last = now;
  }
  for (const kind of ["pointerdown", "wheel", "touchmove"]) document.addEventListener(kind, act, { passive: true });
  document.addEventListener("scroll", act, { passive: true, capture: true });
  for (const kind of ["keydown", "click"]) document.addEventListener(kind, () => { act(); actions += 1; }, true);
  const work = () => { act(); return { seconds: (worked / 1000).toFixed(1), n_actions: String(actions) }; };

  const isPair = form.dataset.options === "2";
  const next = form.querySelector("button.next");
  const chosen = document.getElementById("chosen");
  const value = (role) => form.elements[role].value;
  const name = (role) => (value(role) === "" ? "not chosen" : `text ${Number(value(role)) + 1}`);
  const isComplete = () => value("best") !== "" && (isPair || value("worst") !== "");

  function show() {
    form.querySelectorAll(".option").forEach((option, at) => {
      const is = (role) => value(role) === String(at);
      option.classList.toggle("is-best", is("best"));
      option.classList.toggle("is-worst", !isPair && is("worst"));
      for (const role of ["best", "worst"]) {
        const button = option.querySelector(`.pick.${role}`);
        if (button) button.setAttribute("aria-pressed", String(is(role)));
      }
    });
    if (isPair) chosen.textContent = value("best") === "" ? "Choose the better text." : `Better: ${name("best")}.`;
    else chosen.textContent = `Best: ${name("best")}. Worst: ${name("worst")}.`;
    next.setAttribute("aria-disabled", String(!isComplete()));
  }

  let timer = 0;
  let isDrafted = true;
  function draft() {
    clearTimeout(timer);
    if (isDrafted || isSending) return;
    isDrafted = true;
    const body = new URLSearchParams([...new FormData(form), ...Object.entries(work())]);
    fetch(form.dataset.draft, { method: "POST", body, keepalive: true, headers: { accept: "application/json" } })
      .then(async (answer) => {
        if (answer.status !== 409 || isSending) return;
        later((await answer.json()).says);
        location.reload();
      })
      .catch(() => { isDrafted = false; });
  }

  // A button takes back what it chose; a key that is pressed twice means what it meant once.
  function pick(role, at, isKey) {
    const other = role === "best" ? "worst" : "best";
    if (isPair && role === "worst") return;
    const on = String(at);
    form.elements[role].value = value(role) === on && !isKey ? "" : on;
    if (value(other) === on) form.elements[other].value = "";
    tell("");
    show();
    isDrafted = false;
    clearTimeout(timer);
    timer = setTimeout(draft, DRAFT_AFTER_MS);
  }

  function hand(what) {
    if (what !== "skip" && !isComplete()) {
      tell(isPair ? "Choose the better text first."
        : `Choose the ${["best", "worst"].filter((role) => value(role) === "").join(" and the ")} text first.`);
      return;
    }
    clearTimeout(timer);
    send(form, { act: what, ...work() });
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (button && button.name === "pick") {
      const [role, at] = button.value.split(":");
      pick(role, Number(at));
    } else hand(button && button.value === "skip" ? "skip" : "next");
  });
  document.addEventListener("visibilitychange", () => { if (document.hidden) draft(); });
  window.addEventListener("pagehide", draft);

  const WORST = "qwertyuio";
  const WORST_CODES = ["KeyQ", "KeyW", "KeyE", "KeyR", "KeyT", "KeyY", "KeyU", "KeyI", "KeyO"];
  const n = Number(form.dataset.options);
  function placeOf(event) {
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code);
    if (digit) return [event.shiftKey ? "worst" : "best", Number(digit[1]) - 1];
    if (/^[1-9]$/.test(event.key)) return [event.shiftKey ? "worst" : "best", Number(event.key) - 1];
    const letter = WORST.indexOf(event.key.toLowerCase());
    return ["worst", event.key.length === 1 && letter >= 0 ? letter : WORST_CODES.indexOf(event.code)];
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
    const target = event.target;
    if (event.key === "Enter") {
      const isPick = target.classList.contains("pick");
      const isOther = /^(A|BUTTON|SUMMARY|INPUT)$/.test(target.tagName) && !isPick;
      if (isOther || (isPick && !(target.getAttribute("aria-pressed") === "true" && isComplete()))) return;
      event.preventDefault();
      hand("next");
      return;
    }
    if (!hasKeys() || target.tagName === "INPUT") return;
    if (event.key === "Backspace") {
      event.preventDefault();
      if (undo) undo.requestSubmit(); else tell("There is no answer to take back.");
    } else if (event.key === "?") {
      help.open = !help.open;
      if (help.open) help.querySelector("summary").focus(); else document.getElementById("main").focus();
    } else {
      const [role, at] = placeOf(event);
      if (at >= 0 && at < n) { event.preventDefault(); pick(role, at, true); }
    }
  });

  // Long texts scroll in step, by the share of each that is above.
  const inStep = document.getElementById("in-step");
  inStep.checked = remembered("step");
  inStep.addEventListener("change", () => remember("step", inStep.checked));
  const panes = [...document.querySelectorAll(".option .pane")];
  const moved = new WeakSet();
  for (const pane of panes) {
    pane.addEventListener("scroll", () => {
      if (moved.delete(pane) || !inStep.checked) return;
      const room = pane.scrollHeight - pane.clientHeight;
      for (const other of panes) {
        const to = Math.round((pane.scrollTop / room) * (other.scrollHeight - other.clientHeight));
        if (other !== pane && room > 0 && Math.abs(other.scrollTop - to) > 1) { moved.add(other); other.scrollTop = to; }
      }
    }, { passive: true });
  }
  show();
  document.getElementById("main").focus({ preventScroll: true });
})();
