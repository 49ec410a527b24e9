import { type ReactNode, useState } from 'react'
import type { FollowedSetup } from './follow-setup.ts'
import type { Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Failure } from '../../../parts/states.tsx'

interface NumberProps {
  readonly setup: Setup
  readonly followed: FollowedSetup
  /** The previous number was wrong. */
  readonly isWrong: boolean
}

/** A form for the number shown on the phone. */
export function NumberForm({ setup, followed: { answer }, isWrong }: NumberProps): ReactNode {
  const texts = useTexts(setupTexts)
  const [value, setValue] = useState('')
  const number = value.replaceAll(/\s/g, '')
  const isBad = number !== '' && !/^\d{1,12}$/.test(number)
  const isBusy = answer.isPending || setup.state === 'working'
  return (
    <form
      className={style['form']}
      onSubmit={(event) => {
        event.preventDefault()
        if (number === '' || isBad || isBusy) return
        answer.mutate({ verify_code: number }, { onSuccess: () => setValue('') })
      }}
    >
      <p role="status">{isBusy ? texts.checkingNumber : texts.numberHint}</p>
      <TextField
        label={texts.number}
        value={value}
        onChange={setValue}
        inputMode="numeric"
        autoComplete="one-time-code"
        error={isBad ? texts.numberForm : isWrong && value === '' && !isBusy ? texts.numberWrong : null}
        mono
      />
      {answer.error !== null && <Failure error={answer.error} />}
      <div>
        <Button kind="primary" type="submit" busy={isBusy}>
          {texts.continue}
        </Button>
      </div>
    </form>
  )
}
