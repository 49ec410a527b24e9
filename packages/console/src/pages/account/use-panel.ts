import { type RefObject, useEffect, useRef, useState } from 'react'

/** An inline panel opened by a button. */
export interface Panel {
  readonly isOpen: boolean
  /** The button that opens it. */
  readonly opener: RefObject<HTMLButtonElement | null>
  open(): void
  close(): void
}

/** Returns the state of an inline panel. Closing it returns the focus to its button. */
export function usePanel(): Panel {
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return { isOpen, opener, open: () => setOpen(true), close: () => setOpen(false) }
}
