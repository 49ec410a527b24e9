import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { refresh } from '../../../api/queries.ts'
import { useTexts } from '../../../language/language.ts'
import { RelativeTime } from '../../../parts/time.tsx'
import { refreshAccountQueries } from '../account-api.ts'
import style from '../account.module.css'
import { securityTexts } from './texts.ts'

/** Shows when a factor was added and last used. @param of Times in seconds since the Unix epoch. */
export function UsageTimes({
  of: { created_at, last_used_at },
}: {
  readonly of: { readonly created_at: number; readonly last_used_at: number | null }
}): ReactNode {
  const texts = useTexts(securityTexts)
  return (
    <span className={style['detail']}>
      {texts.added} <RelativeTime at={created_at * 1_000} /> ·{' '}
      {last_used_at === null ? (
        texts.never
      ) : (
        <>
          {texts.used} <RelativeTime at={last_used_at * 1_000} />
        </>
      )}
    </span>
  )
}

/** Returns a function that refetches the factors and permissions after a change. */
export function useRefreshFactors(): () => Promise<unknown> {
  const client = useQueryClient()
  return () => Promise.all([refreshAccountQueries(client, 'factors', 'sessions'), refresh(client, 'whoAmI')])
}
