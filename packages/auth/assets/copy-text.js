/* Buttons that copy a text of the page, and that print it. Without a script they are not there. */
;(() => {
  'use strict'

  /** Each entry of a list is a line. */
  const textOf = (element) =>
    element.matches('ul, ol')
      ? Array.from(element.children, (item) => item.textContent.trim()).join('\n')
      : element.textContent.trim()

  /** What somebody can copy by hand, where the browser does not let a page do it. */
  function select(element) {
    const range = document.createRange()
    range.selectNodeContents(element)
    getSelection().removeAllRanges()
    getSelection().addRange(range)
  }

  for (const frame of document.querySelectorAll('[data-auth-copy]')) {
    const source = document.getElementById(frame.dataset.authCopy)
    const button = frame.querySelector('button')
    const status = frame.querySelector('[role=status]')
    if (source === null || button === null) continue
    const label = button.textContent
    const say = (text) => {
      button.textContent = text === '' ? label : text
      if (status !== null) status.textContent = text
    }
    button.addEventListener('click', () => {
      const copied = navigator.clipboard?.writeText(textOf(source)) ?? Promise.reject(new Error('no clipboard here'))
      copied.then(
        () => {
          say(frame.dataset.authDone)
          setTimeout(() => say(''), 3_000)
        },
        () => select(source),
      )
    })
    frame.hidden = false
  }

  for (const frame of document.querySelectorAll('[data-auth-print]')) {
    frame.querySelector('button')?.addEventListener('click', () => window.print())
    frame.hidden = false
  }
})()
