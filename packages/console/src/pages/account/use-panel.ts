import { type RefObject, useEffect, useRef, useState } from 'react'

/** A panel that a button opens. */
export interface Panel {
  readonly isOpen: boolean
  /** Of the button. */
  readonly opener: RefObject<HTMLButtonElement | null>
  open(): void
  close(): void
}

/** A panel in the flow of the page: whoever closes it is back at the button that opened it, if that is still there. */
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
