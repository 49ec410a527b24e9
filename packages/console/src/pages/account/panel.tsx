import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useTexts } from '../../language/language.ts'
import { Button } from '../../parts/button.tsx'
import style from './account.module.css'
import { accountTexts } from './texts.ts'

/** An inline panel opened by a button. */
interface Panel {
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

const STEP = 20

/** Shows a list in steps. */
export function LongList<I>({
  items,
  itemKey,
  children,
}: {
  readonly items: readonly I[]
  itemKey(item: I): string
  readonly children: (item: I) => ReactNode
}): ReactNode {
  const texts = useTexts(accountTexts)
  const [count, setCount] = useState(STEP)
  return (
    <>
      <ul className={style['list']}>
        {items.slice(0, count).map((item) => (
          <li key={itemKey(item)} className={style['item']}>
            {children(item)}
          </li>
        ))}
      </ul>
      {items.length > count && (
        <div>
          <Button small onClick={() => setCount(count + STEP)}>
            {texts.showMore}
          </Button>
        </div>
      )}
    </>
  )
}
