import type { Authenticator } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { CodeSheet } from './code-sheet.tsx'
import { securityTexts } from './texts.ts'
import style from '../account.module.css'
import { callAccountApi } from '../account-problem.ts'
import { refreshAccountQueries } from '../account-reads.ts'
import { useConfirmedAction } from '../act.ts'
import { ConfirmButton } from '../asked-button.tsx'
import { ProblemNotice } from '../problem.tsx'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Card, Row } from '../../../parts/layout.tsx'

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
      <p className={style['soft']}>{texts.codesLead}</p>
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
    const answer = await callAccountApi(() => accountClient.getRecoveryCodes(), [404])
    // removed meanwhile
    if (answer.status === 404) await refreshAccountQueries(client, 'factors')
    else await take(answer.data.unused_codes)
  })
  const renew = useConfirmedAction(async () => {
    show.clear()
    await take((await callAccountApi(() => accountClient.generateRecoveryCodes())).data.unused_codes)
  })
  return { shown, hide: () => setShown(null), show, renew }
}
