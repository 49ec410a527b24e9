import { useEffect } from 'react'

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]'
/** A page that moves the focus itself, and a dialog that gives it back, come first. */
const PAUSE_MS = 100

/** An element around what has the focus, with what stands beside it. */
interface Surrounding {
  readonly element: Element
  readonly next: Element | null
  readonly previous: Element | null
}

/** When what has the focus goes, e.g. with a row that is deleted, the focus goes to what stood beside it. */
export function useKeptFocus(): void {
  useEffect(() => {
    let around: readonly Surrounding[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const remember = ({ target }: FocusEvent): void => {
      if (target instanceof Element && target.closest('main') !== null) around = surroundingsOf(target)
    }
    /** It was left on purpose, with a click beside it. */
    const forget = ({ target, relatedTarget }: FocusEvent): void => {
      if (relatedTarget !== null) return
      queueMicrotask(() => {
        if (target instanceof Element && target.isConnected && isFocusLost()) around = []
      })
    }
    const mend = (): void => {
      if (isFocusLost() && around[0]?.element.isConnected === false) neighbourOf(around)?.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      if (isFocusLost() && around[0]?.element.isConnected === false) timer = setTimeout(mend, PAUSE_MS)
    })
    observer.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('focusin', remember)
    document.addEventListener('focusout', forget)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('focusin', remember)
      document.removeEventListener('focusout', forget)
    }
  }, [])
}

const isFocusLost = (): boolean => document.activeElement === document.body

/** From the inside to `main`. */
function surroundingsOf(target: Element): readonly Surrounding[] {
  const found: Surrounding[] = []
  for (let element: Element | null = target; element !== null; element = element.parentElement) {
    found.push({ element, next: element.nextElementSibling, previous: element.previousElementSibling })
    if (element.tagName === 'MAIN') break
  }
  return found
}

/** What to go on with after the last of these that is gone, else the heading above it. */
function neighbourOf(around: readonly Surrounding[]): HTMLElement | null {
  const kept = around.findIndex(({ element }) => element.isConnected)
  const gone = around[kept - 1]
  const next = gone?.next?.isConnected === true ? focusableIn(gone.next).at(0) : undefined
  const previous = gone?.previous?.isConnected === true ? focusableIn(gone.previous).at(-1) : undefined
  return next ?? previous ?? headingOf(around[kept]?.element)
}

const focusableIn = (element: Element): readonly HTMLElement[] => {
  const within = [...element.querySelectorAll<HTMLElement>(FOCUSABLE)]
  return element instanceof HTMLElement && element.matches(FOCUSABLE) ? [element, ...within] : within
}

function headingOf(element: Element | undefined): HTMLElement | null {
  const heading = element?.closest('section, main')?.querySelector<HTMLElement>('h1, h2, h3') ?? null
  if (heading !== null) heading.tabIndex = -1
  return heading
}
