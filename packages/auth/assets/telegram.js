/* Telegram's answer stands in the fragment of the address: it is posted to the page itself. */
;(() => {
  'use strict'

  const form = document.getElementById('telegram_result')
  const result = new URLSearchParams(location.hash.slice(1)).get('tgAuthResult')
  if (form === null || result === null) return
  form.elements.namedItem('tgAuthResult').value = result
  // Neither history nor a copied address holds it any longer.
  history.replaceState(null, '', location.pathname + location.search)
  form.submit()
})()
