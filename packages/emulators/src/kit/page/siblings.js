import { make } from './parts.js'
import { platformName, withLanguage } from './texts.js'

/** Links the pages of the emulators that were started together. */
export async function drawSiblings(list) {
  const family = await (await fetch('/demo/siblings.json')).json()
  list.hidden = family.length < 2
  list.replaceChildren(
    ...family.map(({ platform, label, url }) => {
      const link = make('a', '', platformName({ platform, label }))
      link.href = withLanguage(url)
      link.dataset.platform = platform
      if (new URL(url).origin === location.origin) link.setAttribute('aria-current', 'page')
      return link
    }),
  )
  list.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
}

void drawSiblings(document.getElementById('siblings'))
