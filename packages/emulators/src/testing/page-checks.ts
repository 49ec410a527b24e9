import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

/**
 * Returns accessibility problems of a page: text with a contrast below 4.5, a page wider than its window, controls
 * without a name. One sentence each.
 * @see WCAG 2.2, 1.4.3, 1.4.10, 4.1.2
 */
export async function pageFaults(page: Page): Promise<readonly string[]> {
  const script = await readFile(new URL('page-checks.js', import.meta.url), 'utf8')
  return page.evaluate<readonly string[]>(script)
}

/** The focused control: its name, and whether its focus is visible. */
export interface Focus {
  readonly name: string
  readonly isVisible: boolean
}

const FOCUS = `(() => {
  const element = document.activeElement
  // for a link that fills a card, the layer over the card shows the focus
  const shows = [[element.closest('.attach') ?? element], [element, '::after']]
  const isVisible = shows.some(([shown, layer]) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(shown, layer)
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0
  })
  const name = element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent
  return {
    name: element === document.body ? '' : name.replaceAll(/\\s+/g, ' ').trim(),
    isVisible,
  }
})()`

/** Presses a key until the focus cycles or leaves the page. Returns the focused controls in order. */
export async function walkFocus(page: Page, key: 'Tab' | 'Shift+Tab', limit = 100): Promise<readonly Focus[]> {
  const met: Focus[] = []
  while (met.length < limit) {
    await page.keyboard.press(key)
    const focus = await page.evaluate<Focus>(FOCUS)
    if (focus.name === '' || focus.name === met[0]?.name) return met
    met.push(focus)
  }
  return met
}
