import type { ReactNode } from 'react'
import { AddPasskey } from './add-key.tsx'
import type { Passkey } from './key.ts'
import { PasskeyRow } from './key-row.tsx'
import { securityTexts } from './texts.ts'
import style from '../account.module.css'
import { toLocalhostUrl, findPasskeyObstacle } from '../passkey-refusal.ts'
import { usePanel } from '../use-panel.ts'
import { useTexts } from '../../../language/texts.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Card } from '../../../parts/layout.tsx'

/** The card of passkeys and security keys. @param onAdded Called with whether recovery codes were generated. */
export function Passkeys({
  keys,
  onAdded,
}: {
  readonly keys: readonly Passkey[]
  onAdded(hasNewCodes: boolean): void
}): ReactNode {
  const texts = useTexts(securityTexts)
  const { isOpen, opener, open, close } = usePanel()
  const obstacle = findPasskeyObstacle(location.hostname, globalThis.isSecureContext)
  return (
    <Card title={texts.keys}>
      <p className={style['soft']}>{texts.keysLead}</p>
      {keys.length === 0 && <p>{texts.noKeys}</p>}
      {keys.length > 0 && (
        <ul className={style['list']}>
          {keys.map((key) => (
            <PasskeyRow key={key.id} factor={key} />
          ))}
        </ul>
      )}
      {obstacle !== null && <PasskeyObstacle why={obstacle} />}
      {obstacle === null && !isOpen && (
        <div>
          <Button ref={opener} kind={keys.length === 0 ? 'primary' : 'secondary'} onClick={open}>
            <Icon name="plus" /> {texts.addKey}
          </Button>
        </div>
      )}
      {isOpen && <AddPasskey onAdded={onAdded} onClose={close} />}
    </Card>
  )
}

function PasskeyObstacle({ why }: { readonly why: 'number' | 'insecure' }): ReactNode {
  const texts = useTexts(securityTexts)
  const there = toLocalhostUrl(location.href)
  return (
    <Notice>
      <p>
        {why === 'insecure' ? texts.insecure : texts.byNumber}{' '}
        {why === 'number' && there === null && texts.byNumberElsewhere}
      </p>
      {there !== null && (
        <p>
          <a href={there}>{texts.openThere}</a>
        </p>
      )}
    </Notice>
  )
}
