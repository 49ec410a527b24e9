import { type ReactNode, type SubmitEvent, useState } from 'react'
import type { Provider, SocialApp, ProviderDetails } from '../../api/gateway-api.ts'
import { useCall, useChange } from '../../api/queries.ts'
import { useTexts } from '../../language/language.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm, Dialog, DialogActions } from '../../parts/dialog.tsx'
import { Select } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Stack } from '../../parts/layout.tsx'
import { Failure, Loaded } from '../../parts/states.tsx'
import { notify } from '../../parts/toast.tsx'
import { type FieldErrors, findRejectedFields, staffTexts, useDialogCallbacks, useFocusOnError } from './staff-page.tsx'
import style from './staff.module.css'
import { AppFields, findInvalidFields, initialApp, toAppBody } from './social-login-fields.tsx'
import { socialAppTexts } from './social-login-texts.ts'

/** The dialog to add a provider. */
export function AddProvider(): ReactNode {
  const texts = useTexts(socialAppTexts)
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState('')
  const providers = useCall('listProviders', {}, { when: isOpen })
  const close = (): void => {
    setOpen(false)
    setChosen('')
  }
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        <Icon name="plus" /> {texts.add}
      </Button>
      <Dialog open={isOpen} title={texts.addTitle} onClose={close}>
        <Loaded query={providers}>
          {({ providers: all }) => (
            <Stack>
              <Select
                label={texts.provider}
                value={chosen}
                options={[['', texts.choose], ...providerOptions(all)]}
                onChange={setChosen}
              />
              {chosen !== '' && <ProviderForm key={chosen} provider={chosen} app={null} onClose={close} />}
            </Stack>
          )}
        </Loaded>
      </Dialog>
    </>
  )
}

/** Returns the providers that need an app, sorted by name. Duplicate names get their protocol. */
function providerOptions(all: readonly Provider[]): readonly (readonly [id: string, name: string])[] {
  const names = all.map(({ name }) => name)
  return all
    .filter((provider) => provider.needs_app)
    .map(({ id, name, kind }) => {
      const isDouble = names.indexOf(name) !== names.lastIndexOf(name)
      return [id, isDouble ? `${name} (${kind === 'oauth1' ? 'OAuth 1' : 'OAuth 2'})` : name] as const
    })
    .toSorted(([, one], [, other]) => one.localeCompare(other, 'en'))
}

/** The dialog to edit a provider stored in the database. */
export function EditProvider({
  app,
  name,
  onClose,
}: {
  readonly app: SocialApp
  readonly name: string
  onClose(): void
}): ReactNode {
  const texts = useTexts(socialAppTexts)
  return (
    <Dialog open title={texts.changeTitle(name)} onClose={onClose}>
      <ProviderForm provider={app.provider} app={app} onClose={onClose} />
    </Dialog>
  )
}

function ProviderForm({
  provider,
  app,
  onClose,
}: {
  readonly provider: string
  readonly app: SocialApp | null
  onClose(): void
}): ReactNode {
  const details = useCall('getProvider', { params: { provider } })
  return <Loaded query={details}>{(of) => <AppForm details={of} app={app} onClose={onClose} />}</Loaded>
}

/** Removes a provider after confirmation. */
export function RemoveProvider({
  app,
  name,
  onClose,
}: {
  readonly app: SocialApp
  readonly name: string
  onClose(): void
}): ReactNode {
  const texts = useTexts(socialAppTexts)
  const callbacks = useDialogCallbacks(texts.removed(name), onClose)
  const remove = useChange('removeSocialApp', 'listSocialApps', 'listAudit')
  return (
    <Confirm
      open
      title={texts.removeTitle(name)}
      act={texts.remove}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ params: { app: String(app.id) } }, callbacks)}
      onClose={onClose}
    >
      {texts.removeText}
    </Confirm>
  )
}

const NAMES = ['client_id', 'provider_id', 'secret', 'key', 'name', 'settings']

/** The form to add or edit a provider. */
function AppForm({
  details,
  app,
  onClose,
}: {
  readonly details: ProviderDetails
  readonly app: SocialApp | null
  onClose(): void
}): ReactNode {
  const texts = useTexts(socialAppTexts)
  const { cancel, save, required, notTaken } = useTexts(staffTexts)
  const [values, setValues] = useState(() => initialApp(details, app))
  const [errors, setErrors] = useState<FieldErrors>({})
  const form = useFocusOnError(errors)
  const create = useChange('createSocialApp', 'listSocialApps', 'listAudit')
  const change = useChange('changeSocialApp', 'listSocialApps', 'listAudit')
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const wrong = findInvalidFields(details, values).map(
      (name) => [name, name === 'settings' ? texts.notJson : required] as const,
    )
    setErrors(Object.fromEntries(wrong))
    if (wrong.length > 0) return
    const body = toAppBody(details, values)
    const callbacks = {
      onSuccess: () => {
        notify((app === null ? texts.added : texts.changed)(values.app['name'] || details.name))
        onClose()
      },
      onError: (error: Parameters<typeof findRejectedFields>[0]) =>
        setErrors(findRejectedFields(error, NAMES, notTaken)),
    }
    if (app === null) create.mutate({ body: { ...body, provider: details.id } }, callbacks)
    else change.mutate({ params: { app: String(app.id) }, body }, callbacks)
  }
  const error = create.error ?? change.error
  return (
    <form ref={form} className={style['form']} noValidate onSubmit={submit}>
      {error !== null && <Failure error={error} />}
      <AppFields details={details} app={app} values={values} errors={errors} onChange={setValues} />
      <DialogActions>
        <Button onClick={onClose}>{cancel}</Button>
        <Button kind="primary" type="submit" busy={create.isPending || change.isPending}>
          {app === null ? texts.add : save}
        </Button>
      </DialogActions>
    </form>
  )
}
