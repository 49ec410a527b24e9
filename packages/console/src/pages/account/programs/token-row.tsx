import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { tokenTexts } from './texts.ts'
import { useOwnAccountQuery } from './use-own.ts'
import style from '../account.module.css'
import { useNotifiedAction } from '../act.ts'
import { ConfirmButton } from '../asked-button.tsx'
import { call } from '../../../api/call.ts'
import type { Token } from '../../../api/gateway-api.ts'
import { refresh } from '../../../api/queries.ts'
import { useFormat } from '../../../language/format.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Row } from '../../../parts/layout.tsx'
import { RelativeTime, useNow } from '../../../parts/time.tsx'
import { notify } from '../../../parts/toast.tsx'

/** A token without its secret. */
export function TokenRow({ token }: { readonly token: Token }): ReactNode {
  const texts = useTexts(tokenTexts)
  const client = useQueryClient()
  const own = useOwnAccountQuery()
  const { run, isBusy } = useNotifiedAction(async () => {
    await call('revokeToken', { params: { id: token.id }, ...own })
    await refresh(client, 'listTokens')
    notify(texts.revoked(token.name))
  })
  return (
    <>
      <TokenFacts token={token} />
      <ConfirmButton
        small
        act={texts.revoke}
        label={texts.revokeOf(token.name)}
        title={texts.revokeTitle(token.name)}
        lead={texts.revokeLead}
        busy={isBusy}
        onConfirm={() => run()}
      />
    </>
  )
}

function TokenFacts({ token: { name, scopes, ...times } }: { readonly token: Token }): ReactNode {
  const texts = useTexts(tokenTexts)
  const nowMs = useNow(60_000)
  const format = useFormat()
  const words: Readonly<Record<string, string | undefined>> = texts.scopes
  const isOver = times.expires_at !== null && times.expires_at <= nowMs
  return (
    <div className={style['what']}>
      <span className={style['name']}>
        {name} {isOver && <Badge tone="warn">{texts.expired}</Badge>}
      </span>
      <Row>
        {scopes.map((scope) => (
          <Badge key={scope} tone={scope === 'admin' ? 'warn' : 'neutral'}>
            {words[scope] ?? scope}
          </Badge>
        ))}
      </Row>
      <span className={style['detail']}>
        {texts.created} <RelativeTime at={times.created_at} /> ·{' '}
        {times.last_used_at === null ? (
          texts.never
        ) : (
          <>
            {texts.used} <RelativeTime at={times.last_used_at} />
          </>
        )}{' '}
        · {times.expires_at === null ? texts.forGood : `${texts.expires} ${format.day(times.expires_at)}`}
      </span>
    </div>
  )
}
