import { describePlatform } from '../../platform.contract.ts'
import { telegramHarness } from './telegram.contract.ts'

describePlatform('telegram', telegramHarness)
