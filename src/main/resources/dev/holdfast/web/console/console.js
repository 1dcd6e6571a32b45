// What makes the pages live. Everything can be read and done without it.
(function () {
  'use strict';
  var skew = Number(document.body.dataset.now) - Date.now();
  var now = function () { return Date.now() + skew; };
  var all = function (selector, root) { return Array.prototype.slice.call((root || document).querySelectorAll(selector)); };

  function rough(seconds) {
    if (seconds < 90) { return seconds + 's'; }
    if (seconds < 5400) { return Math.floor(seconds / 60) + 'm'; }
    return seconds < 129600 ? Math.floor(seconds / 3600) + 'h' : Math.floor(seconds / 86400) + 'd';
  }
  function tick() {
    all('time[data-ago]').forEach(function (time) {
      var seconds = Math.floor((now() - Date.parse(time.dateTime)) / 1000);
      var text = seconds < 0 ? 'in ' + rough(-seconds) : rough(seconds) + ' ago';
      if (time.textContent !== text) { time.textContent = text; }
    });
    all('[data-until]').forEach(function (wait) {
      var seconds = Math.ceil((Number(wait.dataset.until) - now()) / 1000);
      var text = seconds > 0 ? 'in ' + seconds + ' s' : 'now';
      if (wait.textContent !== text) { wait.textContent = text; }
    });
  }
  setInterval(tick, 1000);

  // The part of the page that changes is fetched anew after something happened, unless somebody is busy with it.
  var live = function () { return document.querySelector('[data-live]'); };
  function isTick(field) { return field.type === 'checkbox' || field.type === 'radio'; }
  // What somebody has ticked, chosen or written and not sent; it may be long ago that they did.
  function isChanged(field) {
    if (isTick(field)) { return field.checked !== field.defaultChecked; }
    if (field.tagName !== 'SELECT') { return field.value !== field.defaultValue; }
    var options = Array.prototype.slice.call(field.options);
    return field.selectedIndex !== Math.max(0, options.findIndex(function (option) { return option.defaultSelected; }));
  }
  // What forms.js, which comes behind this, needs too.
  window.holdfast = {all: all, isTick: isTick, isChanged: isChanged};

  function isBusy(region) {
    var active = document.activeElement;
    return all('input, textarea, select', region).some(isChanged)
      || (active && region.contains(active) && /^(INPUT|TEXTAREA|SELECT)$/.test(active.tagName) && active.type !== 'checkbox')
      || region.querySelector('button:active, a:active, summary:active, input:active, label:active, button:focus-visible, input:focus-visible') !== null
      || String(window.getSelection()) !== '';
  }
  function say(text) {
    var state = document.getElementById('live-state');
    if (state && state.textContent !== text) { state.textContent = text; }
  }
  // The parts of a page that somebody opens, scrolls or is at. Each is told by its address, and its number among equal ones in what has an id.
  function parts(region) {
    var numbers = {}, found = {};
    all('details, summary, pre, .scroll, a[href]', region).forEach(function (part) {
      var around = part.closest('[id]'), name = [around ? around.id : '', part.tagName, part.getAttribute('href')].join(' ');
      numbers[name] = (numbers[name] || 0) + 1;
      found[name + ' ' + numbers[name]] = part;
    });
    return found;
  }
  function noted(region) {
    var found = parts(region);
    return Object.keys(found).map(function (name) {
      var part = found[name];
      return {
        name: name, open: part.open, top: part.scrollTop, left: part.scrollLeft, focused: part === document.activeElement,
        // Who reads the end of what grows goes on to do so.
        isAtEnd: part.scrollTop > 0 && part.scrollTop + part.clientHeight >= part.scrollHeight - 2
      };
    });
  }
  function putBack(before, region) {
    var after = parts(region);
    before.forEach(function (was) {
      var part = after[was.name];
      if (!part) { return; }
      if (part.tagName === 'DETAILS') { part.open = was.open; }
      if (was.left > 0) { part.scrollLeft = was.left; }
      if (was.top > 0) { part.scrollTop = was.isAtEnd ? part.scrollHeight : was.top; }
      if (was.focused) { part.focus({preventScroll: true}); }
    });
  }
  var pending = false, last = 0, changed = false, retryAt = 0;
  function putOff() {
    say('Updates wait until you have finished.');
    changed = true;
  }
  // A proxy without a server behind it, a busy server or too many requests: what is shown and written stays.
  function failed(why) {
    say('This page cannot be brought up to date (' + why + '). Trying again …');
    retryAt = Date.now() + 5000;
    changed = true;
  }
  function refresh() {
    var region = live();
    if (!region || pending || document.hidden || Date.now() < retryAt) { return; }
    if (isBusy(region)) { putOff(); return; }
    changed = false;
    pending = true;
    last = Date.now();
    // Noted when the answer is there: somebody may have gone on while it was fetched.
    var before = [], row = null;
    region.addEventListener('htmx:beforeSwap', function (event) {
      if (isBusy(region)) {
        event.detail.shouldSwap = false;
        putOff();
        return;
      }
      var current = document.querySelector('.current a');
      before = noted(region);
      row = current && current.getAttribute('href');
    }, {once: true});
    htmx.ajax('GET', region.dataset.live, {target: region, select: '[data-live]', swap: 'outerHTML'}).then(function () {
      putBack(before, live());
      var same = all('[data-row] a').find(function (link) { return link.getAttribute('href') === row; });
      if (same) { same.closest('[data-row]').classList.add('current'); }
      tick();
    }).finally(function () { pending = false; });
  }
  // A worker may have claimed what was released, or failed again with it, since the page was made.
  var asking = false;
  function askForReleased() {
    var since = document.querySelector('#since[data-news]');
    if (!since || asking || document.hidden) { return; }
    asking = true;
    fetch(since.dataset.news).then(function (answer) {
      return answer.ok && !answer.redirected ? answer.text() : '';
    }).then(function (html) {
      var told = document.createElement('template');
      told.innerHTML = html;
      var next = told.content.querySelector('#since');
      if (next && since.isConnected && !next.isEqualNode(since)) {
        since.replaceWith(next);
        if (next.querySelector('p')) { next.closest('.notice').classList.replace('good', 'bad'); }
      }
    }).catch(function () { /* it asks again */ }).finally(function () { asking = false; });
  }
  // Without an event, too: a release can be undone for a minute only.
  setInterval(function () { if (document.querySelector('#since #undo')) { askForReleased(); } }, 5000);
  var timer = null;
  function soon() {
    changed = true;
    if (timer === null) {
      timer = setTimeout(function () { timer = null; askForReleased(); refresh(); }, Math.max(250, 2000 - (Date.now() - last)));
    }
  }
  setInterval(function () { if (changed && timer === null) { soon(); } }, 2000);
  setInterval(function () { if (live() && live().dataset.poll) { refresh(); } }, 1000);
  // Of a worker that is lost, an outage that ends, numbers that are counted or a connection that is dead no event tells.
  setInterval(soon, 30000);
  // The numbers in the menu and the outages come with every answer.
  document.body.addEventListener('htmx:beforeSwap', function (event) {
    if (event.detail.xhr.status >= 400) {
      event.detail.shouldSwap = false;
      failed('error ' + event.detail.xhr.status);
      return;
    }
    var answer = new DOMParser().parseFromString(event.detail.serverResponse, 'text/html');
    if (!answer.querySelector('[data-live]')) {
      // Logged out meanwhile, or another page altogether.
      event.detail.shouldSwap = false;
      if (isBusy(live())) { putOff(); } else { location.reload(); }
      return;
    }
    var then = answer.body.dataset.now;
    all('[data-live-part]', answer).forEach(function (part) {
      var shown = document.getElementById(part.id);
      if (shown && !shown.isEqualNode(part)) { shown.replaceWith(part); }
    });
    if (then) { skew = Number(then) - Date.now(); }
    if (event.detail.shouldSwap && events && events.readyState === EventSource.OPEN) { say('Live.'); }
  });
  ['htmx:sendError', 'htmx:timeout'].forEach(function (name) {
    document.body.addEventListener(name, function () { failed('no answer'); });
  });

  var events = null;
  function listen() {
    var region = live();
    if (!region || !window.EventSource || events || document.hidden) { return; }
    // A workflow's page shows the tickets of its steps, too.
    var ticket = /^\/tickets\/(\d+)$/.exec(location.pathname);
    var source = new EventSource('/api/v1/events?named=false'
      + (ticket && !document.getElementById('steps') ? '&ticket=' + ticket[1] : ''));
    events = source;
    // What happened between this page's making and now was told to nobody.
    source.onopen = function () { say('Live.'); soon(); };
    source.onerror = function () {
      say('The connection is lost; this page shows what was. Trying again …');
      if (source.readyState === EventSource.CLOSED && events === source) {
        events = null;
        setTimeout(listen, 5000);
      }
    };
    source.onmessage = soon;
    source.addEventListener('reset', soon);
  }
  // A browser has few connections to one host: pages in the background leave theirs to others.
  function leave() {
    if (events) { events.close(); events = null; }
  }
  window.addEventListener('pagehide', leave);
  document.addEventListener('visibilitychange', function () {
    if (document.hidden) { leave(); } else { listen(); soon(); }
  });
  listen();

  document.addEventListener('click', function (event) {
    var copy = event.target.closest('[data-copy]');
    if (!copy) { return; }
    var text = document.getElementById(copy.dataset.copy);
    // Without TLS, but for this machine's own names, there is no clipboard.
    (navigator.clipboard ? navigator.clipboard.writeText(text.textContent) : Promise.reject()).then(function () {
      copy.textContent = 'Copied';
    }, function () {
      window.getSelection().selectAllChildren(text);
      copy.textContent = 'Selected: copy it by the keyboard';
    });
  });
  document.addEventListener('change', function (event) {
    if (event.target.matches('[data-all]')) {
      Array.prototype.forEach.call(event.target.form.elements, function (box) {
        if (box.name === 'id') { box.checked = event.target.checked; }
      });
    }
  });

  var go = {h: '/', i: '/inbox', r: '/review', t: '/tickets', q: '/queues', w: '/workers', p: '/providers', d: '/designs'};
  var leader = false;
  function move(step) {
    var rows = all('[data-row]');
    if (rows.length === 0) { return; }
    var at = rows.findIndex(function (row) { return row.classList.contains('current'); });
    var next = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
    rows.forEach(function (row) { row.classList.toggle('current', row === next); });
    var link = next.querySelector('a');
    if (link) { link.focus({preventScroll: true}); }
    next.scrollIntoView({block: 'nearest'});
  }
  document.addEventListener('keydown', function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) { return; }
    var key = event.key;
    if (leader && go[key]) { location.href = go[key]; }
    leader = key === 'g';
    if (key === '/') { event.preventDefault(); document.getElementById('search').focus(); }
    if (key === 'j') { move(1); }
    if (key === 'k') { move(-1); }
    if (key === 'x') {
      var box = document.querySelector('.current input[name=id]');
      if (box) { box.checked = !box.checked; }
    }
  });
  tick();
})();
