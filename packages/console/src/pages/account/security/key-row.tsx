import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Key } from './key.ts'
import { securityTexts } from './texts.ts'
import { UsedAt } from './used-at.tsx'
import { useFactorsChanged } from './use-factors-changed.ts'
import style from '../account.module.css'
import { ask } from '../account-problem.ts'
import { useAct, useToldAct } from '../act.ts'
import { AskedButton } from '../asked-button.tsx'
import { ActForm } from '../act-form.tsx'
import { fieldError } from '../problem.tsx'
import { accountTexts } from '../texts.ts'
import { usePanel } from '../use-panel.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Row } from '../../../parts/layout.tsx'
import { tell } from '../../../parts/toast.tsx'

/** One passkey or security key, and what can be done with it. */
export function KeyRow({ factor }: { readonly factor: Key }): ReactNode {
  const texts = useTexts(securityTexts)
  const changed = useFactorsChanged()
  const { isOpen, opener, open, close } = usePanel()
  const name = factor.name || texts.unnamed
  const remove = useToldAct(async () => {
    await ask(() => accountClient.removeWebauthn({ authenticators: [factor.id] }))
    await changed()
    tell(texts.removed(name))
  })
  return (
    <li className={style['item']}>
      <div className={style['what']}>
        <span className={style['name']}>
          {name}
          {factor.is_passwordless !== undefined && (
            <Badge tone={factor.is_passwordless ? 'good' : 'neutral'}>
              {factor.is_passwordless ? texts.alone : texts.second}
            </Badge>
          )}
        </span>
        <UsedAt of={factor} />
      </div>
      <Row>
        <Button small aria-label={texts.renameOf(name)} ref={opener} onClick={open}>
          {texts.rename}
        </Button>
        <AskedButton
          small
          act={texts.remove}
          label={texts.removeOf(name)}
          title={texts.removeKey(name)}
          lead={texts.removeKeyLead}
          busy={remove.isBusy}
          onConfirm={() => remove.run()}
        />
      </Row>
      {isOpen && (
        <div className={style['full']}>
          <RenameKey factor={factor} onClose={close} />
        </div>
      )}
    </li>
  )
}

function RenameKey({ factor, onClose }: { readonly factor: Key; onClose(): void }): ReactNode {
  const texts = useTexts(securityTexts)
  const common = useTexts(accountTexts)
  const changed = useFactorsChanged()
  const [name, setName] = useState(factor.name)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  const { run, isBusy, problem } = useAct(async () => {
    await ask(() => accountClient.renameWebauthn({ id: factor.id, name: name.trim() }))
    await changed()
    onClose()
  })
  return (
    <div className={style['panel']}>
      <ActForm problem={problem} fields={['name']} onSubmit={() => run()}>
        <TextField
          ref={field}
          label={texts.newName(factor.name || texts.unnamed)}
          maxLength={100}
          value={name}
          onChange={setName}
          error={fieldError(problem, 'name')}
        />
        <Row>
          <Button kind="primary" type="submit" busy={isBusy}>
            {texts.save}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </Row>
      </ActForm>
    </div>
  )
}
