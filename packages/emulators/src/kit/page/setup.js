import { make } from './parts.js'
import { texts } from './texts.js'

let drawn

/**
 * Offers what a person can do with a pending setup code on a phone.
 * @param act Called with the chosen action.
 */
export function drawSetup({ box, words, acts }, state, possible, person, act) {
  const now = JSON.stringify([state, person])
  if (drawn === now) return
  drawn = now
  box.hidden = !state
  words.textContent = state === 'scanned' ? texts.setupScanned : texts.setupWaiting(person)
  const offered = possible.filter((name) => !(state === 'scanned' && name === 'scan'))
  acts.replaceChildren(
    ...offered.map((name) => {
      const button = make('button', '', texts.acts[name] ?? name)
      button.type = 'button'
      button.addEventListener('click', () => act(name))
      return button
    }),
  )
}
