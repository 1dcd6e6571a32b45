// What is written and sent. Without it every form works, once for each press.
(function () {
  'use strict';
  var all = window.holdfast.all, isTick = window.holdfast.isTick, isChanged = window.holdfast.isChanged;
  var PATIENCE = 10000;
  var KEY = 'holdfast-written';

  var who = function () { return document.querySelector('.who').textContent; };
  var page = function () { return location.pathname + location.search; };
  // Several forms of a page may go to one address, as those of batches do.
  var nameOf = function (form) {
    var around = form.closest('[id]');
    return (around ? around.getAttribute('id') : '') + ' ' + form.getAttribute('action');
  };
  // A ticket may ask something else by now: a place among the choices of one question says nothing in another.
  var aboutOf = function (form) { return form.dataset.about || ''; };
  // A box may stand outside its form.
  var fieldsOf = function (form) { return Array.prototype.slice.call(form.elements); };

  // A form that could not be taken is shown anew: a value was wrong, somebody was faster, or the login was over. What was written comes back,
  // also in the other forms of the page, whether this one is taken or not.
  function keep(sent) {
    var forms = all('form[method=post]', document).map(function (form) {
      var written = fieldsOf(form).filter(function (field) { return field.matches('textarea, select, input:not([type=hidden])') && isChanged(field); });
      return {name: nameOf(form), about: aboutOf(form), isSent: form === sent, fields: written.map(function (field) {
        return {name: field.name, value: field.value, isTicked: field.checked};
      })};
    }).filter(function (form) { return form.fields.length > 0; });
    if (forms.length === 0) {
      sessionStorage.removeItem(KEY);
    } else {
      sessionStorage.setItem(KEY, JSON.stringify({who: who(), page: page(), forms: forms}));
    }
  }
  function putBack() {
    var kept = JSON.parse(sessionStorage.getItem(KEY) || 'null');
    var wasTaken = document.querySelector('#notice.good, #notice #since') !== null;
    if (kept === null || (kept.page !== page() && !wasTaken && kept.who === who())) { return; }
    sessionStorage.removeItem(KEY);
    if (kept.page !== page() || kept.who !== who()) { return; }
    kept.forms.forEach(function (written) {
      var form = all('form[method=post]', document).find(function (each) { return nameOf(each) === written.name; });
      if (form && !(written.isSent && wasTaken)) {
        written.fields.forEach(function (was) { fill(form, was, written.about === aboutOf(form)); });
      }
    });
  }
  function fill(form, was, isSame) {
    var field = fieldsOf(form).find(function (each) {
      return each.name === was.name && (!isTick(each) || each.value === was.value);
    });
    if (!field || !(isSame || field.tagName === 'TEXTAREA')) { return; }
    if (isTick(field)) { field.checked = was.isTicked; } else { field.value = was.value; }
    var folded = field.closest('details');
    if (folded) { folded.open = true; }
  }
  // A browser may keep nothing.
  function ifPossible(action) {
    try { action(); } catch (error) { /* then it is as without this script */ }
  }

  document.addEventListener('submit', function (event) {
    var form = event.target, now = Date.now();
    if (form.getAttribute('method') !== 'post') { return; }
    // The second press of an impatient hand would take the first one's answer away.
    if (now - Number(form.dataset.sentAt || 0) < PATIENCE) {
      event.preventDefault();
      return;
    }
    form.dataset.sentAt = now;
    document.getElementById('live-state').textContent = 'Sent; waiting for the answer …';
    ifPossible(function () { keep(form); });
  });
  // The browser shows a page as it was left.
  window.addEventListener('pageshow', function () {
    all('form[data-sent-at]', document).forEach(function (form) { delete form.dataset.sentAt; });
  });
  ifPossible(putBack);
})();
