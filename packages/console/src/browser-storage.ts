/** Texts that the browser keeps for the console: `tab` as long as the tab, `browser` for every tab. */
export interface KeptText {
  /** `null`: nothing is kept. */
  get(): string | null
  /** `null` forgets it. */
  set(text: string | null): void
}

/** Where the browser refuses to keep anything, or has no room, it is kept as long as the page. */
export function keptText(where: 'tab' | 'browser', key: string): KeptText {
  const storage = (): Storage => (where === 'tab' ? sessionStorage : localStorage)
  return {
    get() {
      const text = onPage.get(key)
      return text === undefined ? (tried(() => storage().getItem(key)) ?? null) : text
    },
    set(text) {
      onPage.delete(key)
      const isKept = tried(() => {
        if (text === null) storage().removeItem(key)
        else storage().setItem(key, text)
        return true
      })
      if (isKept === undefined) onPage.set(key, text)
    },
  }
}

const onPage = new Map<string, string | null>()

function tried<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}
