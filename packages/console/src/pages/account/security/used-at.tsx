import type { ReactNode } from 'react'
import { securityTexts } from './texts.ts'
import style from '../account.module.css'
import { useTexts } from '../../../language/texts.ts'
import { Ago } from '../../../parts/time.tsx'

/** When a factor was added, and used last. @param of Times in seconds since the Unix epoch. */
export function UsedAt({
  of: { created_at, last_used_at },
}: {
  readonly of: { readonly created_at: number; readonly last_used_at: number | null }
}): ReactNode {
  const texts = useTexts(securityTexts)
  return (
    <span className={style['detail']}>
      {texts.added} <Ago at={created_at * 1_000} /> ·{' '}
      {last_used_at === null ? (
        texts.never
      ) : (
        <>
          {texts.used} <Ago at={last_used_at * 1_000} />
        </>
      )}
    </span>
  )
}
