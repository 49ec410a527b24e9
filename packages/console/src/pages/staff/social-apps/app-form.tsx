import { type ReactNode, type SubmitEvent, useState } from 'react'
import { AppFields } from './app-fields.tsx'
import { toAppBody, initialApp, findInvalidFields } from './app-values.ts'
import { socialAppTexts } from './texts.ts'
import { type FieldErrors, findRejectedFields, useFocusOnError } from '../form-errors.ts'
import style from '../staff.module.css'
import { staffTexts } from '../texts.ts'
import type { ProviderDetails, SocialApp } from '../../../api/gateway-api.ts'
import { useChange } from '../../../api/queries.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { DialogActions } from '../../../parts/dialog.tsx'
import { Failure } from '../../../parts/states.tsx'
import { notify } from '../../../parts/toast.tsx'

const NAMES = ['client_id', 'provider_id', 'secret', 'key', 'name', 'settings']

/** The form to add or edit a provider. */
export function AppForm({
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
    const told = {
      onSuccess: () => {
        notify((app === null ? texts.added : texts.changed)(values.app['name'] || details.name))
        onClose()
      },
      onError: (error: Parameters<typeof findRejectedFields>[0]) =>
        setErrors(findRejectedFields(error, NAMES, notTaken)),
    }
    if (app === null) create.mutate({ body: { ...body, provider: details.id } }, told)
    else change.mutate({ params: { app: String(app.id) }, body }, told)
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
