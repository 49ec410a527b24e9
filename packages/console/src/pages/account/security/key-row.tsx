import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Passkey } from './key.ts'
import { securityTexts } from './texts.ts'
import { UsageTimes } from './used-at.tsx'
import { useRefreshFactors } from './use-factors-changed.ts'
import style from '../account.module.css'
import { callAccountApi } from '../account-problem.ts'
import { useConfirmedAction, useNotifiedAction } from '../act.ts'
import { ConfirmButton } from '../asked-button.tsx'
import { ActionForm } from '../act-form.tsx'
import { fieldError } from '../problem.tsx'
import { accountTexts } from '../texts.ts'
import { usePanel } from '../use-panel.ts'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Row } from '../../../parts/layout.tsx'
import { notify } from '../../../parts/toast.tsx'

/** A passkey or security key with its actions. */
export function PasskeyRow({ factor }: { readonly factor: Passkey }): ReactNode {
  const texts = useTexts(securityTexts)
  const changed = useRefreshFactors()
  const { isOpen, opener, open, close } = usePanel()
  const name = factor.name || texts.unnamed
  const remove = useNotifiedAction(async () => {
    await callAccountApi(() => accountClient.removeWebauthn({ authenticators: [factor.id] }))
    await changed()
    notify(texts.removed(name))
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
        <UsageTimes of={factor} />
      </div>
      <Row>
        <Button small aria-label={texts.renameOf(name)} ref={opener} onClick={open}>
          {texts.rename}
        </Button>
        <ConfirmButton
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
          <RenamePasskey factor={factor} onClose={close} />
        </div>
      )}
    </li>
  )
}

function RenamePasskey({ factor, onClose }: { readonly factor: Passkey; onClose(): void }): ReactNode {
  const texts = useTexts(securityTexts)
  const common = useTexts(accountTexts)
  const changed = useRefreshFactors()
  const [name, setName] = useState(factor.name)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  const { run, isBusy, problem } = useConfirmedAction(async () => {
    await callAccountApi(() => accountClient.renameWebauthn({ id: factor.id, name: name.trim() }))
    await changed()
    onClose()
  })
  return (
    <div className={style['panel']}>
      <ActionForm problem={problem} fields={['name']} onSubmit={() => run()}>
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
      </ActionForm>
    </div>
  )
}
