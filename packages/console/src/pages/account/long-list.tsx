import { type ReactNode, useState } from 'react'
import style from './account.module.css'
import { accountTexts } from './texts.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'

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
