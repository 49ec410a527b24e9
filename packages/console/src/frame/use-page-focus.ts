import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

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
