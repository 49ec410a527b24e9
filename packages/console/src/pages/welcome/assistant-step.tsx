import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ModelForm } from './model-form.tsx'
import { welcomeTexts } from './texts.ts'
import type { Answer } from '../../api/call.ts'
import { useCall, useChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { RadioCards } from '../../parts/radios.tsx'
import { Failure, Loaded } from '../../parts/states.tsx'
import { notify } from '../../parts/toast.tsx'

/** Describes the current assistant. */
export function AssistantSummary(): ReactNode {
  const texts = useTexts(welcomeTexts)
  const { isStaff, service } = useSession()
  const { data } = useCall('getAssistant', {}, { when: isStaff })
  const kind = data?.kind ?? service.assistant.kind
  if (!isStaff) return texts.assistantStaff
  if (kind === 'echo') return texts.assistantEcho
  if (kind === 'openai') return texts.assistantOther(data?.model ?? texts.openai)
  return texts.assistantOther(kind === 'http' ? texts.service : texts.program)
}

/** The step to keep Echo or set up a model. */
export function AssistantStep({ onDone }: { onDone(): void }): ReactNode {
  const { isStaff } = useSession()
  const assistant = useCall('getAssistant', {}, { when: isStaff })
  if (!isStaff) return <AssistantSummary />
  return <Loaded of={assistant}>{(data) => <AssistantChoice assistant={data} onDone={onDone} />}</Loaded>
}

function AssistantChoice({
  assistant,
  onDone,
}: {
  readonly assistant: Answer<'getAssistant'>
  onDone(): void
}): ReactNode {
  const texts = useTexts(welcomeTexts)
  const [kind, setKind] = useState<'echo' | 'openai'>(assistant.kind === 'openai' ? 'openai' : 'echo')
  const change = useChange('changeAssistant', 'getAssistant', 'getService')
  const done = (): void => {
    notify(texts.saved)
    onDone()
  }
  if (assistant.from_environment.includes('kind')) {
    return (
      <>
        <p>{texts.assistantFixed}</p>
        <SettingsLink />
      </>
    )
  }
  return (
    <>
      <p>{texts.assistantLead}</p>
      <KindChoice kind={kind} onChange={setKind} />
      {kind === 'echo' ? (
        <>
          {change.error !== null && <Failure error={change.error} />}
          <div>
            <Button
              kind="primary"
              busy={change.isPending}
              onClick={() => change.mutate({ body: { kind: 'echo' } }, { onSuccess: done })}
            >
              {texts.save}
            </Button>
          </div>
        </>
      ) : (
        <ModelForm assistant={assistant} onDone={done} />
      )}
      <SettingsLink />
    </>
  )
}

function KindChoice({
  kind,
  onChange,
}: {
  readonly kind: 'echo' | 'openai'
  onChange(kind: 'echo' | 'openai'): void
}): ReactNode {
  const texts = useTexts(welcomeTexts)
  return (
    <RadioCards
      label={texts.assistant}
      hideLabel
      value={kind}
      options={[
        { value: 'echo', title: texts.echo, hint: texts.echoLead },
        { value: 'openai', title: texts.openai, hint: texts.openaiLead },
      ]}
      onChange={onChange}
    />
  )
}

const SettingsLink = (): ReactNode => (
  <p>
    <Link to="/assistant">{useTexts(welcomeTexts).changeLater}</Link>
  </p>
)
