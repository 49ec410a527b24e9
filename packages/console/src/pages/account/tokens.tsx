import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { call, serviceUrl } from '../../api/client.ts'
import type { Token } from '../../api/gateway-api.ts'
import { refresh, useCall } from '../../api/queries.ts'
import { useFormat } from '../../language/format.ts'
import { useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, buttonClass, CopyButton } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Card, Row } from '../../parts/layout.tsx'
import { Loaded } from '../../parts/states.tsx'
import { RelativeTime, useNow } from '../../parts/time.tsx'
import { notify } from '../../parts/toast.tsx'
import style from './account.module.css'
import { LongList, usePanel } from './panel.tsx'
import { useNotifiedAction } from './reauthentication.tsx'
import { accountTexts } from './texts.ts'
import { CreateToken, useOwnAccountQuery, type NewToken } from './create-token.tsx'
import { tokenTexts } from './token-texts.ts'

/** The section of personal access tokens and authorized apps. */
export function Tokens(): ReactNode {
  const texts = useTexts(tokenTexts)
  const tokens = useCall('listTokens', useOwnAccountQuery())
  const { isOpen, opener, open, close } = usePanel()
  /** Contains the secret, which is kept only while this component is mounted. */
  const [created, setCreated] = useState<NewToken | null>(null)
  return (
    <>
      <Card title={texts.tokens} actions={<a href={serviceUrl('api/docs')}>{texts.reference}</a>}>
        <p className={style['soft']}>{texts.tokensLead}</p>
        {created !== null && <NewTokenPanel {...created} onClose={() => setCreated(null)} />}
        {isOpen ? (
          <CreateToken
            onCreated={(token) => {
              close()
              setCreated(token)
            }}
            onClose={close}
          />
        ) : (
          <div>
            <Button kind={created === null ? 'primary' : 'secondary'} ref={opener} onClick={open}>
              <Icon name="plus" /> {texts.make}
            </Button>
          </div>
        )}
        <Loaded query={tokens}>
          {(found) =>
            found.tokens.length === 0 ? (
              <p>{texts.noTokens}</p>
            ) : (
              <LongList items={found.tokens} itemKey={({ id }) => id}>
                {(token) => <TokenRow token={token} />}
              </LongList>
            )
          }
        </Loaded>
      </Card>
      <Card title={texts.programs}>
        <p className={style['soft']}>{texts.programsLead}</p>
        <div>
          <a className={buttonClass({})} href={serviceUrl('accounts/applications/')}>
            {texts.openPrograms} <Icon name="next" size={16} />
          </a>
        </div>
      </Card>
    </>
  )
}

/** A token without its secret. */
function TokenRow({ token }: { readonly token: Token }): ReactNode {
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
        label={texts.revokeLabel(token.name)}
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
        · {times.expires_at === null ? texts.noExpiration : `${texts.expires} ${format.day(times.expires_at)}`}
      </span>
    </div>
  )
}

/** Shows a new token once. */
function NewTokenPanel({
  name,
  token,
  onClose,
}: {
  readonly name: string
  readonly token: string
  onClose(): void
}): ReactNode {
  const texts = useTexts(tokenTexts)
  const common = useTexts(accountTexts)
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => head.current?.focus(), [])
  return (
    <div className={style['panel']}>
      <h3 ref={head} tabIndex={-1}>
        {texts.shown(name)}
      </h3>
      <p className={style['soft']}>{texts.shownLead}</p>
      <p>
        <code aria-label={texts.token}>{token}</code>
      </p>
      <Row>
        <CopyButton text={token} label={texts.copy} />
        <Button small onClick={onClose}>
          {common.done}
        </Button>
      </Row>
    </div>
  )
}
