// Worker threads: publishing a job, taking chunks of it, spinning and parking.
#include "thread_pool.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <system_error>
#include <thread>

#include "cpu_topology.hpp"
#include "text.hpp"

namespace whitecap {
namespace {

// Jobs from this size on are worth waking workers for; from the smaller one on, worth sharing with workers
// that are awake.
constexpr std::uint64_t kWorthWaking = 65536, kWorthSharing = 8192;
constexpr std::uint64_t kSmallestChunk = 2048;
constexpr std::uint32_t kChunksPerThread = 4;
constexpr int kSpinsBeforeParking = 4000;  // 50 to 200 us, by processor
constexpr int kSpinsBeforeYielding = 2000;
constexpr std::int64_t kBackToBack = 1000000;  // ns between replays

std::atomic<ThreadPool*> shared_pool{nullptr};
std::atomic<int> configured_threads{0};

void pause_cpu() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield" ::: "memory");
#endif
}

std::int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

}  // namespace

ThreadPool& ThreadPool::shared() {
    ThreadPool* pool = shared_pool.load(std::memory_order_acquire);
    if (pool != nullptr) return *pool;
    // The workers of a parent process don't exist in its child, so the child starts with a new pool; the copy
    // of the old one is left alone, because its lock may be held for ever.
    static const int registered = pthread_atfork(nullptr, nullptr, [] { shared_pool.store(nullptr); });
    static_cast<void>(registered);
    auto* fresh = new ThreadPool;  // never deleted: workers may outlive every static object
    if (shared_pool.compare_exchange_strong(pool, fresh, std::memory_order_acq_rel)) return *fresh;
    delete fresh;
    return *pool;
}

int ThreadPool::thread_count() {
    const int configured = configured_threads.load(std::memory_order_relaxed);
    if (configured > 0) return configured;
    static const int cores = std::min(usable_cores(), kMaxThreads);
    return cores;
}

void ThreadPool::set_thread_count(int count) {
    if (count < 0 || count > kMaxThreads) {
        fail(WC_ERROR_ARGUMENT, "set_thread_count: ", count, ", allowed are 0 (one a core) to ", kMaxThreads);
    }
    configured_threads.store(count, std::memory_order_relaxed);
}

ThreadPool::ThreadPool() : slots_(new Slot[kMaxThreads]) {}

ThreadPool::Session::Session(int threads, std::uint64_t largest_job)
    : threads_(threads > 0 ? std::min(threads, kMaxThreads) : thread_count()), chosen_by_size_(threads == 0) {
    if (threads_ < 2 || (chosen_by_size_ && largest_job < kWorthSharing)) return;
    ThreadPool& pool = shared();
    if (pool.busy_.exchange(true, std::memory_order_acquire)) return;
    pool_ = &pool;
    pool.ensure_workers(threads_ - 1);
    const bool back_to_back = now() - pool.last_session_end_ < kBackToBack;
    if (!chosen_by_size_ || largest_job >= kWorthWaking || back_to_back) pool.wake();
}

ThreadPool::Session::~Session() {
    if (pool_ == nullptr) return;
    pool_->last_session_end_ = now();
    pool_->busy_.store(false, std::memory_order_release);
}

void ThreadPool::Session::run(std::uint64_t total, std::uint64_t unit, Body body, const void* context) {
    bool share = pool_ != nullptr;
    if (share && chosen_by_size_ && total < kWorthWaking) {
        const int workers = static_cast<int>(pool_->worker_handles_.size());
        share = total >= kWorthSharing && pool_->parked_.load(std::memory_order_relaxed) < workers;
    }
    const std::uint64_t smallest = chosen_by_size_ ? kSmallestChunk : 1;
    const std::uint64_t wanted =
        std::max(total / (static_cast<std::uint64_t>(threads_) * kChunksPerThread), smallest);
    const std::uint64_t chunk = std::max<std::uint64_t>((wanted + unit - 1) / unit, 1) * unit;
    if (!share || chunk >= total) return body(context, 0, total);
    const std::uint64_t chunks = (total + chunk - 1) / chunk;
    pool_->run({body, context, total, chunk}, static_cast<std::uint32_t>(chunks), threads_);
}

void ThreadPool::Session::run_each(std::uint64_t count, Body body, const void* context) {
    if (pool_ == nullptr || count < 2) return body(context, 0, count);
    pool_->wake();
    pool_->run({body, context, count, 1}, static_cast<std::uint32_t>(count), threads_);
}

void ThreadPool::run(const Job& job, std::uint32_t chunks, int threads) {
    const int participants =
        static_cast<int>(std::min<std::uint32_t>(static_cast<std::uint32_t>(threads), chunks));
    job_ = job;
    participants_.store(participants, std::memory_order_relaxed);
    unfinished_.store(chunks, std::memory_order_relaxed);
    const auto share = [&](int p) {
        return static_cast<std::uint32_t>(std::uint64_t{chunks} * static_cast<std::uint64_t>(p) /
                                          static_cast<std::uint64_t>(participants));
    };
    for (int p = 0; p < participants; ++p) {
        Slot& slot = slots_[static_cast<std::size_t>(p)];
        slot.end = share(p + 1);
        slot.left.store(share(p + 1) - share(p), std::memory_order_release);
    }
    generation_.fetch_add(1, std::memory_order_seq_cst);
    if (job.total >= kWorthWaking) wake();

    const std::uint32_t done = take_chunks(0, participants);
    if (unfinished_.fetch_sub(done, std::memory_order_acq_rel) == done) return;
    for (int spins = 0; unfinished_.load(std::memory_order_acquire) != 0; ++spins) {
        spins < kSpinsBeforeYielding ? pause_cpu() : static_cast<void>(sched_yield());
    }
}

// Own chunks first, then those that others have not begun. Returns how many were run.
std::uint32_t ThreadPool::take_chunks(int participant, int participants) {
    std::uint32_t done = 0;
    for (int i = 0; i < participants; ++i) {
        Slot& slot = slots_[static_cast<std::size_t>((participant + i) % participants)];
        std::uint32_t left = slot.left.load(std::memory_order_acquire);
        while (left > 0) {
            if (!slot.left.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel)) continue;
            // The job cannot change before this chunk is done, so it is read from here on only.
            const std::uint64_t begin = std::uint64_t{slot.end - left} * job_.chunk;
            job_.body(job_.context, begin, std::min(begin + job_.chunk, job_.total));
            ++done;
            left = slot.left.load(std::memory_order_acquire);
        }
    }
    return done;
}

void ThreadPool::work(int participant) {
    const int participants = participants_.load(std::memory_order_relaxed);
    if (participant >= participants) return;
    const std::uint32_t done = take_chunks(participant, participants);
    if (done > 0) unfinished_.fetch_sub(done, std::memory_order_acq_rel);
}

void ThreadPool::serve(int participant) {
    std::uint32_t seen = generation_.load(std::memory_order_acquire);
    for (;;) {
        work(participant);
        int spins = 0;
        while (generation_.load(std::memory_order_acquire) == seen && ++spins < kSpinsBeforeParking)
            pause_cpu();
        if (generation_.load(std::memory_order_acquire) == seen) {
            std::unique_lock<std::mutex> lock(mutex_);
            parked_.fetch_add(1, std::memory_order_seq_cst);
            const std::uint64_t calls = wake_calls_;
            wake_up_.wait(lock, [&] {
                return wake_calls_ != calls || generation_.load(std::memory_order_seq_cst) != seen;
            });
            parked_.fetch_sub(1, std::memory_order_seq_cst);
        }
        seen = generation_.load(std::memory_order_acquire);
    }
}

void ThreadPool::wake() {
    if (parked_.load(std::memory_order_seq_cst) == 0) return;
    avoid_core_of_caller();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++wake_calls_;
    }
    wake_up_.notify_all();
}

void ThreadPool::ensure_workers(int count) {
    while (static_cast<int>(worker_handles_.size()) < count) {
        const int participant = static_cast<int>(worker_handles_.size()) + 1;
        try {
            std::thread worker([this, participant] { serve(participant); });
            worker_handles_.push_back(worker.native_handle());
            worker.detach();
        } catch (const std::system_error&) {
            return;  // the caller does the work of threads that the system refuses
        }
        avoided_cpu_ = -1;
    }
}

void ThreadPool::avoid_core_of_caller() {
    const int cpu = sched_getcpu();
    if (cpu < 0 || cpu == avoided_cpu_) return;
    avoided_cpu_ = cpu;
    const std::vector<int> allowed = allowed_cpus();
    const std::vector<int> core = core_siblings(cpu);
    cpu_set_t others, except_caller;
    CPU_ZERO(&others);
    CPU_ZERO(&except_caller);
    for (int other : allowed) {
        if (std::find(core.begin(), core.end(), other) == core.end()) CPU_SET(other, &others);
        if (other != cpu) CPU_SET(other, &except_caller);
    }
    // The whole core of the caller is left free when enough others remain, else only its own hardware thread.
    const bool enough = CPU_COUNT(&others) >= static_cast<int>(worker_handles_.size());
    const cpu_set_t& mask = enough ? others : except_caller;
    if (CPU_COUNT(&mask) == 0) return;
    for (pthread_t worker : worker_handles_) pthread_setaffinity_np(worker, sizeof mask, &mask);
}

}  // namespace whitecap
