import type { Authenticator } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { accountClient } from '../../../api/client.ts'
import { useSession } from '../../../api/session.ts'
import { useTexts } from '../../../language/language.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button, CopyButton } from '../../../parts/button.tsx'
import { ConfirmButton } from '../../../parts/dialog.tsx'
import { Card, Row } from '../../../parts/layout.tsx'
import { ProblemNotice } from '../account-action.tsx'
import { callAccountApi, refreshAccountQueries } from '../account-api.ts'
import frame from '../account.module.css'
import { useConfirmedAction } from '../reauthentication.tsx'
import { accountTexts } from '../texts.ts'
import style from './security.module.css'
import { securityTexts } from './texts.ts'

type Codes = Extract<Authenticator, { readonly type: 'recovery_codes' }>
const FEW = 3

interface RecoveryCodesProps {
  readonly codes: Codes | null
  /** Recovery codes exist only alongside another factor. */
  readonly hasOther: boolean
  readonly isFresh: boolean
  onSeen(): void
}

/** The card of recovery codes. */
export function RecoveryCodes({ codes, hasOther, isFresh, onSeen }: RecoveryCodesProps): ReactNode {
  const texts = useTexts(securityTexts)
  const { shown, hide, show, renew } = useCodes(onSeen)
  const isUrgent = isFresh && shown === null && codes !== null
  return (
    <Card title={texts.codes}>
      <p className={frame['soft']}>{texts.codesLead}</p>
      {codes === null && !hasOther && <p>{texts.codesAfter}</p>}
      {isUrgent && <Notice tone="warn">{texts.fresh}</Notice>}
      {codes !== null && (
        <p>
          {texts.codesLeft(codes.unused_code_count, codes.total_code_count)}{' '}
          {codes.unused_code_count <= FEW && texts.fewLeft}
        </p>
      )}
      {shown === 'once' && <Notice>{texts.shownOnce}</Notice>}
      {Array.isArray(shown) && <CodeSheet codes={shown} onClose={hide} />}
      <ProblemNotice problem={show.problem ?? renew.problem} />
      {(codes !== null || hasOther) && (
        <Row>
          {codes !== null && !Array.isArray(shown) && (
            <Button kind={isUrgent ? 'primary' : 'secondary'} busy={show.isBusy} onClick={() => show.run()}>
              {texts.showCodes}
            </Button>
          )}
          {codes === null ? (
            <Button busy={renew.isBusy} onClick={() => renew.run()}>
              {texts.newCodes}
            </Button>
          ) : (
            <ConfirmButton
              kind="secondary"
              act={texts.newCodes}
              title={texts.newCodesTitle}
              lead={texts.newCodesLead}
              busy={renew.isBusy}
              onConfirm={() => renew.run()}
            />
          )}
        </Row>
      )}
    </Card>
  )
}

/** Holds the codes while they are shown. `once`: they were shown before. */
function useCodes(onSeen: () => void) {
  const client = useQueryClient()
  const [shown, setShown] = useState<readonly string[] | 'once' | null>(null)
  const take = async (codes: readonly string[] | undefined): Promise<void> => {
    setShown(codes ?? 'once')
    onSeen()
    await refreshAccountQueries(client, 'factors')
  }
  const show = useConfirmedAction(async () => {
    const answer = await callAccountApi(() => accountClient().getRecoveryCodes(), [404])
    // removed meanwhile
    if (answer.status === 404) await refreshAccountQueries(client, 'factors')
    else await take(answer.data.unused_codes)
  })
  const renew = useConfirmedAction(async () => {
    show.clear()
    await take((await callAccountApi(() => accountClient().generateRecoveryCodes())).data.unused_codes)
  })
  return { shown, hide: () => setShown(null), show, renew }
}

/** Shows recovery codes to copy, download or print. Only this part of the page is printed. */
function CodeSheet({ codes, onClose }: { readonly codes: readonly string[]; onClose(): void }): ReactNode {
  const texts = useTexts(securityTexts)
  const common = useTexts(accountTexts)
  const { me } = useSession()
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => head.current?.focus(), [])
  const text = `${texts.fileHead(me.user?.email ?? me.account)}\n\n${codes.join('\n')}\n`
  return (
    <div className={frame['panel']}>
      <div className={style['sheet']}>
        <h3 ref={head} tabIndex={-1}>
          {texts.shown}
        </h3>
        <ul className={style['codes']} aria-label={texts.shown}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <Row>
        <CopyButton text={text} label={texts.copyCodes} />
        <Button small onClick={() => saveTextFile(text, texts.file)}>
          {texts.download}
        </Button>
        <Button small onClick={() => globalThis.print()}>
          {texts.print}
        </Button>
        <Button small kind="primary" onClick={onClose}>
          {common.done}
        </Button>
      </Row>
    </div>
  )
}

/** Downloads a text as a file. */
function saveTextFile(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
