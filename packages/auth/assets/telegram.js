/* Telegram's answer stands in the fragment of the address: it is posted to the page itself. */
;(() => {
  'use strict'

  const form = document.getElementById('telegram_result')
  // Its plus signs are those of Base64, no blanks.
  const result = /[#&]tgAuthResult=([^&]*)/.exec(location.hash)?.[1]
  if (form === null || result === undefined) return
  form.elements.namedItem('tgAuthResult').value = decodeURIComponent(result)
  // Neither history nor a copied address holds it any longer.
  history.replaceState(null, '', location.pathname + location.search)
  form.submit()
})()
