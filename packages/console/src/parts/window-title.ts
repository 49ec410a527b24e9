import { useEffect } from 'react'

/** Says what the page is in the title of the window. */
export function useWindowTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Gatepost`
  }, [title])
}
