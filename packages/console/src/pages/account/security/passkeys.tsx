import { type Authenticator, createPasskey } from '@gatepost/auth/client'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { accountClient } from '../../../api/client.ts'
import { useTexts } from '../../../language/language.ts'
import { Badge, Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { ConfirmButton } from '../../../parts/dialog.tsx'
import { Checkbox, TextField } from '../../../parts/field.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Card, Row } from '../../../parts/layout.tsx'
import { notify } from '../../../parts/toast.tsx'
import { ActionForm, fieldError } from '../account-action.tsx'
import { callAccountApi, findPasskeyObstacle, requestPasskey, toLocalhostUrl, useAccountQuery } from '../account-api.ts'
import style from '../account.module.css'
import { usePanel } from '../panel.tsx'
import { useConfirmedAction, useNotifiedAction } from '../reauthentication.tsx'
import { accountTexts } from '../texts.ts'
import { securityTexts } from './texts.ts'
import { useRefreshFactors, UsageTimes } from './factors.tsx'

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

function PasskeyObstacle({ why }: { readonly why: 'ip_address' | 'insecure' }): ReactNode {
  const texts = useTexts(securityTexts)
  const there = toLocalhostUrl(location.href)
  return (
    <Notice>
      <p>
        {why === 'insecure' ? texts.insecure : texts.ipAddress}{' '}
        {why === 'ip_address' && there === null && texts.ipAddressElsewhere}
      </p>
      {there !== null && (
        <p>
          <a href={there}>{texts.openThere}</a>
        </p>
      )}
    </Notice>
  )
}

/** A passkey or security key with its actions. */
function PasskeyRow({ factor }: { readonly factor: Passkey }): ReactNode {
  const texts = useTexts(securityTexts)
  const changed = useRefreshFactors()
  const { isOpen, opener, open, close } = usePanel()
  const name = factor.name || texts.unnamed
  const remove = useNotifiedAction(async () => {
    await callAccountApi(() => accountClient().removeWebauthn({ authenticators: [factor.id] }))
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
              {factor.is_passwordless ? texts.passwordlessBadge : texts.second}
            </Badge>
          )}
        </span>
        <UsageTimes of={factor} />
      </div>
      <Row>
        <Button small aria-label={texts.renameLabel(name)} ref={opener} onClick={open}>
          {texts.rename}
        </Button>
        <ConfirmButton
          small
          act={texts.remove}
          label={texts.removeLabel(name)}
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
    await callAccountApi(() => accountClient().renameWebauthn({ id: factor.id, name: name.trim() }))
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

/** A form that adds a passkey or security key. @param onAdded Called with whether recovery codes were generated. */
function AddPasskey({ onAdded, onClose }: { onAdded(hasNewCodes: boolean): void; onClose(): void }): ReactNode {
  const texts = useTexts(securityTexts)
  const common = useTexts(accountTexts)
  const changed = useRefreshFactors()
  const canBePasswordless = useAccountQuery('config').data?.mfa?.passkey_login_enabled === true
  const [name, setName] = useState('')
  const [isPasswordless, setPasswordless] = useState(true)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const { run, isBusy, problem } = useConfirmedAction(async () => {
    const options = await callAccountApi(() =>
      accountClient().getWebauthnCreation({ passwordless: canBePasswordless && isPasswordless }),
    )
    const credential = await requestPasskey(() => createPasskey(options.data.creation_options))
    const { data, meta } = await callAccountApi(() =>
      accountClient().addWebauthn({ ...(name.trim() !== '' && { name: name.trim() }), credential }),
    )
    await changed()
    notify(texts.keyAdded(data.name))
    onAdded(meta.recovery_codes_generated)
    onClose()
  })
  return (
    <div className={style['panel']}>
      <ActionForm problem={problem} fields={['name']} onSubmit={() => run()}>
        <TextField
          ref={first}
          label={texts.keyName}
          hint={texts.keyNameHint}
          maxLength={100}
          value={name}
          onChange={setName}
          error={fieldError(problem, 'name')}
        />
        {canBePasswordless && (
          <Checkbox
            label={texts.passwordless}
            hint={texts.passwordlessHint}
            checked={isPasswordless}
            onChange={setPasswordless}
          />
        )}
        <Row>
          <Button kind="primary" type="submit" busy={isBusy}>
            {texts.createKey}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </Row>
      </ActionForm>
    </div>
  )
}

/** A passkey or security key. */
type Passkey = Extract<Authenticator, { readonly type: 'webauthn' }>
