import type { ReactNode } from 'react'
import { AddKey } from './add-key.tsx'
import type { Key } from './key.ts'
import { KeyRow } from './key-row.tsx'
import { securityTexts } from './texts.ts'
import style from '../account.module.css'
import { namedAddress, noPasskeysAt } from '../passkey-refusal.ts'
import { usePanel } from '../use-panel.ts'
import { useTexts } from '../../../language/texts.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Card } from '../../../parts/layout.tsx'

/** Passkeys and security keys. @param onAdded Told whether recovery codes were made with the key. */
export function Keys({
  keys,
  onAdded,
}: {
  readonly keys: readonly Key[]
  onAdded(hasNewCodes: boolean): void
}): ReactNode {
  const texts = useTexts(securityTexts)
  const { isOpen, opener, open, close } = usePanel()
  const obstacle = noPasskeysAt(location.hostname, globalThis.isSecureContext)
  return (
    <Card title={texts.keys}>
      <p className={style['soft']}>{texts.keysLead}</p>
      {keys.length === 0 && <p>{texts.noKeys}</p>}
      {keys.length > 0 && (
        <ul className={style['list']}>
          {keys.map((key) => (
            <KeyRow key={key.id} factor={key} />
          ))}
        </ul>
      )}
      {obstacle !== null && <Obstacle why={obstacle} />}
      {obstacle === null && !isOpen && (
        <div>
          <Button ref={opener} kind={keys.length === 0 ? 'primary' : 'secondary'} onClick={open}>
            <Icon name="plus" /> {texts.addKey}
          </Button>
        </div>
      )}
      {isOpen && <AddKey onAdded={onAdded} onClose={close} />}
    </Card>
  )
}

function Obstacle({ why }: { readonly why: 'number' | 'insecure' }): ReactNode {
  const texts = useTexts(securityTexts)
  const there = namedAddress(location.href)
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
