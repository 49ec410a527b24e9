// Follows the log-in whose code is on the page.

const WORDS = {
  waiting: 'Waiting for the scan',
  scanned: 'Scanned: now confirm on the phone',
  confirmed: 'Connected. You can close this page.',
  expired: 'This code has expired. Ask for a new one.',
  failed: 'That did not work. Ask for a new code.',
}
const EVERY_MS = 2000

const shown = document.querySelector('#state')
const query = new URLSearchParams({ url: shown?.dataset.url ?? '', since: shown?.dataset.since ?? '' })

async function look() {
  if (document.hidden) return true
  try {
    const answer = await fetch(`weixin-qr/state?${query}`)
    const { state } = await answer.json()
    if (!(state in WORDS)) return true
    if (shown.dataset.state !== state) {
      shown.dataset.state = state
      shown.textContent = WORDS[state]
    }
    return state === 'waiting' || state === 'scanned'
  } catch {
    // the server is being restarted, or the phone has lost its network: it is asked again
    return true
  }
}

async function follow() {
  while (await look()) await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
}

if (shown) void follow()
