import { describePlatform } from '../../platform.contract.ts'
import { dingtalkHarness } from './dingtalk.contract.ts'

describePlatform('dingtalk', dingtalkHarness)
