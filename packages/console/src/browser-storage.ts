/** A text stored by the browser. */
export interface StoredText {
  /** `null`: nothing is stored. */
  get(): string | null
  /** `null` deletes it. */
  set(text: string | null): void
}

/**
 * Returns access to a text in the storage of the tab or the browser.
 * If the browser refuses to store it or is out of space, the text lives as long as the page.
 */
export function storedText(where: 'tab' | 'browser', key: string): StoredText {
  const storage = (): Storage => (where === 'tab' ? sessionStorage : localStorage)
  return {
    get() {
      const text = fallback.get(key)
      return text === undefined ? (tryStorage(() => storage().getItem(key)) ?? null) : text
    },
    set(text) {
      fallback.delete(key)
      const isKept = tryStorage(() => {
        if (text === null) storage().removeItem(key)
        else storage().setItem(key, text)
        return true
      })
      if (isKept === undefined) fallback.set(key, text)
    },
  }
}

const fallback = new Map<string, string | null>()

function tryStorage<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}
