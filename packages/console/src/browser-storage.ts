/** A text in the browser's storage. */
export interface StoredText {
  /** Returns the stored text, or `null`. */
  get(): string | null
  /** Stores a text. `null` deletes it. */
  set(text: string | null): void
}

/**
 * Returns access to a text in the tab's or the browser's storage. If storage is blocked or full, the text is kept until
 * the page is closed.
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
