import { make } from './parts.js'

const WORDS = {
  scan: 'Scan',
  confirm: 'Confirm',
  refuse: 'Refuse',
  expire: 'Let it expire',
  redirect: 'Other host',
  stale: 'Old log-in',
  already_bound: 'Already bound',
}

let drawn

/**
 * Offers what a person with a phone can do with a set-up code that waits.
 * @param act Called with the act that was chosen.
 */
export function drawSetup({ box, words, acts }, state, possible, person, act) {
  const now = JSON.stringify([state, person])
  if (drawn === now) return
  drawn = now
  box.hidden = !state
  words.textContent =
    state === 'scanned' ? 'The set-up code was scanned. Allow it?' : `A set-up code waits to be scanned by ${person}.`
  const offered = possible.filter((name) => !(state === 'scanned' && name === 'scan'))
  acts.replaceChildren(
    ...offered.map((name) => {
      const button = make('button', '', WORDS[name] ?? name)
      button.type = 'button'
      button.addEventListener('click', () => act(name))
      return button
    }),
  )
}
