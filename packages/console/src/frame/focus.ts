import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]'
/** Delay in ms, so that pages that move the focus and dialogs that return it go first. */
const PAUSE_MS = 100

/** An ancestor of the focused element, with its siblings. */
interface Surrounding {
  readonly element: Element
  readonly next: Element | null
  readonly previous: Element | null
}

/** Moves the focus to a neighboring element when the focused one is removed, e.g. with a deleted row. */
export function useFocusRestoration(): void {
  useEffect(() => {
    let around: readonly Surrounding[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const rememberFocus = ({ target }: FocusEvent): void => {
      if (target instanceof Element && target.closest('main') !== null) around = collectSurroundings(target)
    }
    /** Forgets the focused element when a click elsewhere takes the focus away on purpose. */
    const clearOnBlur = ({ target, relatedTarget }: FocusEvent): void => {
      if (relatedTarget !== null) return
      queueMicrotask(() => {
        if (target instanceof Element && target.isConnected && isFocusLost()) around = []
      })
    }
    const restoreFocus = (): void => {
      if (isFocusLost() && around[0]?.element.isConnected === false)
        findNeighbor(around)?.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      if (isFocusLost() && around[0]?.element.isConnected === false) timer = setTimeout(restoreFocus, PAUSE_MS)
    })
    observer.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('focusin', rememberFocus)
    document.addEventListener('focusout', clearOnBlur)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('focusin', rememberFocus)
      document.removeEventListener('focusout', clearOnBlur)
    }
  }, [])
}

const isFocusLost = (): boolean => document.activeElement === document.body

/** Returns the ancestors of an element from the inside out, up to `main`. */
function collectSurroundings(target: Element): readonly Surrounding[] {
  const found: Surrounding[] = []
  for (let element: Element | null = target; element !== null; element = element.parentElement) {
    found.push({ element, next: element.nextElementSibling, previous: element.previousElementSibling })
    if (element.tagName === 'MAIN') break
  }
  return found
}

/** Returns the element next to the outermost removed one, or the heading above it. */
function findNeighbor(around: readonly Surrounding[]): HTMLElement | null {
  const kept = around.findIndex(({ element }) => element.isConnected)
  const gone = around[kept - 1]
  const next = gone?.next?.isConnected === true ? focusableIn(gone.next).at(0) : undefined
  const previous = gone?.previous?.isConnected === true ? focusableIn(gone.previous).at(-1) : undefined
  return next ?? previous ?? findHeading(around[kept]?.element)
}

const focusableIn = (element: Element): readonly HTMLElement[] => {
  const within = [...element.querySelectorAll<HTMLElement>(FOCUSABLE)]
  return element instanceof HTMLElement && element.matches(FOCUSABLE) ? [element, ...within] : within
}

function findHeading(element: Element | undefined): HTMLElement | null {
  const heading = element?.closest('section, main')?.querySelector<HTMLElement>('h1, h2, h3') ?? null
  if (heading !== null) heading.tabIndex = -1
  return heading
}

/** Focuses the heading of a newly opened page, unless the page has set the focus itself. */
export function usePageFocus(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged) return
        const main = document.querySelector('main')
        if (main === null || main.contains(document.activeElement)) return
        main.querySelector('h1')?.focus({ preventScroll: true })
      }),
    [router],
  )
}
